/**
 * Findings that are known and not to be shown again: an old site can be checked for what is new. A finding is known by
 * its rule, document and page, never by its line, and as often as it was there. Where a document had more findings of a
 * rule than are listed, the rest is known by its number, whichever pages it is about.
 */
import { SitemapException } from '../errors.ts';
import type { Finding } from './finding.ts';
import { timesOf } from './rule-table.ts';

/** More known findings than this are not a baseline but a site that nobody looked at. */
const MOST_KNOWN = 100_000;

interface KnownFinding {
  readonly rule: string;
  readonly document: string;
  readonly page?: string;
  readonly count?: number;
}

export class BaselineWriter {
  readonly #counts = new Map<string, number>();
  total = 0;

  add(finding: Finding): void {
    const key = keyOf(isRest(finding) ? restOf(finding) : finding);
    const known = this.#counts.get(key);
    if (known === undefined && this.#counts.size >= MOST_KNOWN) {
      throw new SitemapException(
        `The baseline would have more than ${MOST_KNOWN.toLocaleString('en')} findings; turn the most ` +
          'frequent rules off first (--rule NAME=off).',
        { code: 'bad-option' },
      );
    }
    this.#counts.set(key, (known ?? 0) + timesOf(finding));
    this.total += timesOf(finding);
  }

  /** The content of the file: sorted, one finding a line, so that it can be compared and merged. */
  toString(): string {
    const lines = [...this.#counts]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, count]) => {
        const [document, rule, page] = JSON.parse(key) as [string, string, string?];
        return JSON.stringify({ rule, document, page, ...(count > 1 && { count }) } satisfies Loose);
      });
    return `{"version": 1, "findings": [\n${lines.join(',\n')}\n]}\n`;
  }
}

type Loose = { readonly [Field in keyof KnownFinding]: KnownFinding[Field] | undefined };

export class Baseline {
  readonly #left = new Map<string, number>();
  hidden = 0;

  /** @throws SitemapException with code `bad-option` for what is not a baseline */
  constructor(text: string) {
    for (const known of parsed(text)) {
      const key = keyOf(known);
      this.#left.set(key, (this.#left.get(key) ?? 0) + (known.count ?? 1));
    }
  }

  /** How many of its findings were not there any more. */
  get gone(): number {
    let gone = 0;
    for (const left of this.#left.values()) gone += left;
    return gone;
  }

  hides(finding: Finding): boolean {
    return (
      (!isRest(finding) && this.#uses(keyOf(finding), finding)) || this.#uses(keyOf(restOf(finding)), finding)
    );
  }

  #uses(key: string, finding: Finding): boolean {
    const times = timesOf(finding);
    const left = this.#left.get(key) ?? 0;
    if (left < times) return false;
    this.#left.set(key, left - times);
    this.hidden += times;
    return true;
  }
}

function isRest(finding: Finding): boolean {
  return timesOf(finding) > 1;
}

function restOf({ rule, document }: Finding): KnownFinding {
  return { rule, document, page: '…' };
}

function keyOf({ rule, document, page }: Pick<KnownFinding, 'rule' | 'document' | 'page'>): string {
  return JSON.stringify(page === undefined ? [document, rule] : [document, rule, page]);
}

function parsed(text: string): readonly KnownFinding[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw notOne(cause);
  }
  const findings = isRecord(json) && json['version'] === 1 ? json['findings'] : undefined;
  if (!Array.isArray(findings) || !findings.every(isKnownFinding)) throw notOne();
  return findings;
}

function isKnownFinding(value: unknown): value is KnownFinding {
  if (!isRecord(value)) return false;
  const { rule, document, page, count } = value;
  return (
    typeof rule === 'string' &&
    typeof document === 'string' &&
    (page === undefined || typeof page === 'string') &&
    (count === undefined || (Number.isSafeInteger(count) && Number(count) > 0))
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function notOne(cause?: unknown): SitemapException {
  return new SitemapException('It is not a baseline; --write-baseline FILE writes one.', {
    code: 'bad-option',
    ...(cause !== undefined && { cause }),
  });
}
