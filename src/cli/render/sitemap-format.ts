/** Pages as one urlset. A format of its own for each listing, since it counts what it has written. */
import { PROTOCOL_LIMITS } from '../../check/protocol-limits.ts';
import { bytes, count, list, number } from '../../text/wording.ts';
import { URLSET_END, urlsetStart } from '../../write/sitemap-xml.ts';
import { ALL_NAMESPACES, EntryWriter } from '../../write/url-entry.ts';
import type { PageAndSitemap } from '../page-filter.ts';
import type { LineFormat } from './formats.ts';

export function sitemapFormat(): LineFormat<PageAndSitemap> {
  // What comes later is not known: all namespaces are declared.
  const start = urlsetStart(ALL_NAMESPACES);
  let pages = 0;
  let size = URLSET_END.length;
  const counts = { dropped: 0, repaired: 0 };
  let writer: EntryWriter | undefined;
  return {
    item({ page, sitemap }) {
      writer ??= new EntryWriter({
        // Pages of a private host are those of its own sitemaps.
        url: sitemap.url === '' ? undefined : sitemap.url,
        maxNews: PROTOCOL_LIMITS.newsStories,
        onProblem: ({ dropped }) => counts[dropped === 'page' ? 'dropped' : 'repaired']++,
      });
      const entry = writer.entry(page);
      if (entry === undefined) return '';
      const text = pages === 0 ? start + entry : entry;
      pages++;
      size += Buffer.byteLength(text);
      return text;
    },
    end: () => (pages === 0 ? '' : URLSET_END),
    remarks() {
      const notes: string[] = [];
      if (pages > PROTOCOL_LIMITS.entries || size > PROTOCOL_LIMITS.bytes) {
        const most = `${number(PROTOCOL_LIMITS.entries)} pages and ${bytes(PROTOCOL_LIMITS.bytes)} (50 MiB)`;
        notes.push(
          `One sitemap may have ${most}; this one has ${number(pages)} and ${bytes(size)}. ` +
            'usp fix … -o DIR writes several and an index.',
        );
      }
      if (counts.dropped + counts.repaired > 0) {
        const dropped = counts.dropped === 0 ? [] : [`${count(counts.dropped, 'page')} left out`];
        const repaired = counts.repaired === 0 ? [] : [`${count(counts.repaired, 'value')} repaired`];
        notes.push(`${list([...dropped, ...repaired])}; usp fix says which.`);
      }
      return { notes, isEmpty: pages === 0 };
    },
  };
}
