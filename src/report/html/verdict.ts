/** The verdict in a sentence, whether everything was read, and the numbers. */
import { bytes, count, list, number } from '../../problems/wording.ts';
import type { FoundRules } from '../found-rules.ts';
import type { TreeSummary } from '../summary/summary.ts';
import { escaped, untrusted } from './markup.ts';
import { icon, SEVERITIES, severityCount } from './severity.ts';

/** Reasons that are named; the sitemaps below have all. */
const MOST_REASONS = 4;

/** The first section. */
export function verdictSection(site: TreeSummary, found: FoundRules): string {
  const { mark, sentence } = verdict(site, found);
  return (
    `<section id="verdict" class="verdict ${mark}">` +
    `<p class="sentence">${icon(mark)}<span>${sentence}</span></p>` +
    `<p class="completeness">${completeness(site)}</p>${tiles(site, found)}</section>`
  );
}

function verdict(site: TreeSummary, found: FoundRules) {
  const [errors, warnings, infos] = SEVERITIES.map((severity) => found.count(severity));
  const name = nameOf(site.url);
  if (!hasSitemaps(site)) {
    return { mark: 'error', sentence: `No sitemap of ${name} could be read.` } as const;
  }
  if (errors! > 0) {
    const need = errors === 1 ? 'needs' : 'need';
    return {
      mark: 'error',
      sentence: `${severityCount('error', errors!)} ${need} fixing in the sitemaps of ${name}.`,
    } as const;
  }
  if (warnings! > 0) {
    const sentence =
      `The sitemaps of ${name} work. ${severityCount('warning', warnings!)} ` +
      `${warnings === 1 ? 'is' : 'are'} worth a look.`;
    return { mark: 'warning', sentence } as const;
  }
  const rest = infos! > 0 ? ` There ${infos === 1 ? 'is' : 'are'} ${severityCount('info', infos!)}.` : '';
  return { mark: 'ok', sentence: `The sitemaps of ${name} are in good order.${rest}` } as const;
}

/** Whether anything but robots.txt was read. */
function hasSitemaps({ sitemaps }: TreeSummary): boolean {
  return sitemaps.count > (sitemaps.kinds['robots-txt'] ?? 0);
}

/** The host of a site, as a heading has it. */
export function nameOf(url: string): string {
  return untrusted(URL.canParse(url) && new URL(url).host !== '' ? new URL(url).host : url, 80);
}

function completeness(site: TreeSummary): string {
  const { complete, stopped, sitemaps, problems } = site;
  const notRead = sitemaps.unreadable + sitemaps.notFetched;
  const parts: string[] = [];
  if (stopped !== undefined) parts.push(`Not complete: ${untrusted(stopped.message)}`);
  else if (notRead > 0 || sitemaps.truncated > 0) {
    const missing = [
      notRead > 0 ? `${count(notRead, 'sitemap')} could not be read (${reasons(site)})` : '',
      sitemaps.truncated > 0
        ? `${count(sitemaps.truncated, 'sitemap')} ${sitemaps.truncated === 1 ? 'ends' : 'end'} too early`
        : '',
    ];
    parts.push(`Not complete: ${list(missing.filter((part) => part !== ''))}.`);
  } else if (complete === true) parts.push('Complete: everything that is declared was read to its end.');
  else if (complete === false) parts.push('Not complete: something that is declared could not be read.');
  else parts.push('Only this document was read.');
  // Where nothing was read, what is known of the site itself is all that there is to say.
  if (!hasSitemaps(site))
    parts.push(...problems.codes.slice(0, MOST_REASONS).map(({ message }) => untrusted(message, 300)));
  if (sitemaps.stale > 0)
    parts.push(
      `${count(sitemaps.stale, 'sitemap is', 'sitemaps are')} shown as an earlier run read ` +
        `${sitemaps.stale === 1 ? 'it' : 'them'}.`,
    );
  return parts.join(' ');
}

function reasons({ failures }: TreeSummary): string {
  const named = failures.slice(0, MOST_REASONS).map(({ code, status, count: times }) => {
    const why = status === undefined ? code.replaceAll('-', ' ') : `HTTP ${status}`;
    return `${number(times)} × ${escaped(why)}`;
  });
  return [...named, ...(failures.length > MOST_REASONS ? ['other reasons'] : [])].join(', ');
}

function tiles(site: TreeSummary, found: FoundRules): string {
  const { sitemaps, pages } = site;
  const notRead = sitemaps.unreadable + sitemaps.notFetched;
  const facts: readonly (readonly [value: string, name: string, note: string])[] = [
    [
      number(sitemaps.count),
      sitemaps.count === 1 ? 'sitemap' : 'sitemaps',
      notRead > 0 ? `${number(notRead)} not read` : '',
    ],
    [
      number(pages.count),
      pages.count === 1 ? 'page' : 'pages',
      pages.distinct < pages.count ? `${number(pages.distinct)} distinct` : '',
    ],
    [bytes(site.bytes), 'total size', ''],
  ];
  const plain = facts.map(
    ([value, name, note]) =>
      `<li><span class="value">${value}</span> <span class="name">${name}</span>` +
      `${note === '' ? '' : ` <span class="note">${note}</span>`}</li>`,
  );
  const severities = SEVERITIES.map((severity) => {
    const value = found.count(severity);
    const name = severityCount(severity, value).replace(/^\S+ /, '');
    return (
      `<li class="${value === 0 ? 'none' : severity}">` +
      `<span class="value">${number(value)}</span> <span class="name">${icon(severity)} ${name}</span></li>`
    );
  });
  return `<ul class="tiles">${[...plain, ...severities].join('')}</ul>`;
}
