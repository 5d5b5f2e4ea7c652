/** Findings in, the chosen format out. */
import { styleText } from 'node:util';
import {
  FINDING_FORMATS,
  type FindingFormatName,
  type FindingWriter,
} from '../../check/formats/finding-formats.ts';
import type { CheckSummary, Finding } from '../../check/index.ts';
import { onAbort } from '../../runtime/abort.ts';
import type { CliIO } from '../io.ts';
import { kindOf, ListingOutput } from './output.ts';

export interface FindingListingOptions {
  readonly format: FindingFormatName;
  readonly output?: string | undefined;
  readonly all?: boolean | undefined;
}

/** This many characters are written at once. */
const AT_ONCE = 16 * 1024;

export class FindingListing {
  readonly #output: ListingOutput;
  readonly #writer: FindingWriter;
  #waiting: string;

  private constructor(output: ListingOutput, writer: FindingWriter) {
    this.#output = output;
    this.#writer = writer;
    this.#waiting = writer.begin?.() ?? '';
  }

  /**
   * @param isLocal - whether a document is a file on this machine
   * @throws UsageError where the output cannot be written
   */
  static async open(
    { format, output: path, all }: FindingListingOptions,
    io: CliIO,
    isLocal: (document: string) => boolean,
  ): Promise<FindingListing> {
    const output = await ListingOutput.open(path, kindOf(format), io);
    const writer = FINDING_FORMATS[format]({
      all,
      isLocal,
      isTerminal: output.isTerminal,
      version: io.version,
      ...(output.hasColour && {
        paint: (colour, text) => styleText(colour, text, { validateStream: false }),
      }),
    });
    const listing = new FindingListing(output, writer);
    // Half a document of JSON is of no use.
    if (!/^(?:json|sarif)$/.test(format))
      onAbort(io.signal, () => void output.writeLast(listing.#takeWaiting()));
    return listing;
  }

  async print(finding: Finding): Promise<void> {
    this.#waiting += this.#writer.finding(finding);
    if (this.#waiting.length >= AT_ONCE) await this.#flush();
  }

  async finish(summary: CheckSummary, hidden: number | undefined): Promise<void> {
    this.#waiting += this.#writer.end?.({ summary, hidden }) ?? '';
    await this.#flush();
    await this.#output.finish();
  }

  /** Prints what was found until the user ended the check. A file stays what it was. */
  async interrupt(summary: CheckSummary): Promise<void> {
    await this.#output.writeLast(this.#takeWaiting() + (this.#writer.end?.({ summary }) ?? ''));
  }

  async discard(): Promise<void> {
    await this.#output.discard();
  }

  async #flush(): Promise<void> {
    await this.#output.write(this.#takeWaiting());
  }

  #takeWaiting(): string {
    const text = this.#waiting;
    this.#waiting = '';
    return text;
  }
}
