/**
 * What is measured, and who takes part: ours first. Each contestant is a module in contestants/ and a task, the name of
 * a function in it. `over: 'http'` is for those that fetch what they parse; they are compared with us over HTTP
 * (`versus`), since the network is work too. `isUnreliable` is for who is known not to find the same, and is shown
 * anyway.
 */

const XMLWF = {
  id: 'xmlwf',
  module: 'xmlwf.js',
  over: 'memory',
  needs: 'xmlwf',
  findsPages: false,
  note: 'checks well-formedness only, and makes no pages; a process and files rather than memory',
};
const OVER_HTTP = 'over loopback HTTP, behind robots.txt and an index: it takes no bytes';
const ONE_OVER_HTTP = 'over loopback HTTP, by the URL of the document';

/** How many sitemaps the small site has. */
const SMALL_SITE = 8;

/** The scenarios at these sizes, in the order of the report. */
export function scenariosOf({ scale, siteSitemaps, memorySitemaps, writePages }) {
  const [pages, richPages] = [50_000 * scale, 10_000 * scale];
  const thousands = (number) => number.toLocaleString('en');
  const urlsets = (count) => ({ format: 'urlset', entries: pages, count });
  return [
    {
      name: 'parse',
      kind: 'pages',
      title: `parse: 4 × ${thousands(pages)} URLs in memory; url, date, priority, frequency of each page read`,
      set: urlsets(4),
      contestants: [
        inMemory('ours', 'pages'),
        inMemory('saxes', 'pages'),
        inMemory('htmlparser2', 'pages'),
        inMemory('fast-xml-parser', 'pages'),
        inMemory('sitemap-js', 'pages'),
        XMLWF,
        overHttp('ours', 'stream', { label: 'stream', note: 'over loopback HTTP, to compare with' }),
        ...peersOverHttp({ versus: 'ours-stream', note: OVER_HTTP }),
      ],
    },
    {
      name: 'stream',
      kind: 'pages',
      title: `stream: 4 × ${thousands(pages)} URLs in memory; the same behind robots.txt and an index on loopback`,
      set: urlsets(4),
      contestants: [
        inMemory('ours', 'pages'),
        overHttp('ours', 'stream', { label: 'stream' }),
        overHttp('ours', 'batches', { label: 'stream in batches' }),
        overHttp('ours', 'tree', { label: 'tree and walk' }),
        overHttp('node-http', 'bytes', {
          note: 'reads the responses, and makes no pages',
          findsPages: false,
          isFloor: true,
        }),
      ],
    },
    {
      name: 'rich',
      kind: 'pages',
      title: `rich: 4 × ${thousands(richPages)} entries with news, three images, a video and five alternates each`,
      set: { format: 'rich', entries: richPages, count: 4 },
      contestants: [
        inMemory('ours', 'rich'),
        inMemory('saxes', 'rich'),
        inMemory('htmlparser2', 'rich'),
        inMemory('fast-xml-parser', 'rich'),
        inMemory('sitemap-js', 'rich'),
        XMLWF,
      ],
    },
    ...['rss', 'atom'].map((format) => ({
      name: format,
      group: 'feeds',
      kind: 'pages',
      title: `feeds and text: ${format === 'rss' ? 'RSS' : 'Atom'} of ${thousands(pages)} entries in memory; url, date, title of each`,
      set: { format, entries: pages, count: 1 },
      contestants: [
        inMemory('ours', 'feed'),
        inMemory('saxes', 'feed'),
        inMemory('htmlparser2', 'feed'),
        inMemory('fast-xml-parser', 'feed'),
        XMLWF,
      ],
    })),
    {
      name: 'text',
      group: 'feeds',
      kind: 'pages',
      title: `feeds and text: text of ${thousands(pages)} lines in memory`,
      set: { format: 'text', entries: pages, count: 1 },
      contestants: [
        inMemory('ours', 'pages'),
        inMemory('split-lines', 'pages', { note: 'no detection, no check of URLs, repeated ones kept' }),
        overHttp('ours', 'stream', { label: 'stream', note: 'over loopback HTTP, to compare with' }),
        overHttp('crawlee', 'site', {
          versus: 'ours-stream',
          isUnreliable: true,
          note: `${OVER_HTTP}; loses a page wherever a chunk ends with a line, so it is not held to find them all`,
        }),
      ],
    },
    // Who needs minutes for the large site has one turn at it, and as many as the others at the small one.
    ...[
      { name: 'small-site', count: Math.min(SMALL_SITE, siteSitemaps), maxTurns: undefined },
      { name: 'site', count: siteSitemaps, maxTurns: 1 },
    ].flatMap(({ name, count, maxTurns }) =>
      [false, true].map((gzip) => ({
        name: `${name}-${gzip ? 'gz' : 'plain'}`,
        group: name,
        kind: 'pages',
        title: `${name}: ${count} × ${thousands(pages)} pages behind robots.txt and an index on loopback, ${gzip ? '.gz' : 'plain'}`,
        set: { ...urlsets(count), gzip },
        // All that a site's values are made of was checked in scenario parse: two sitemaps tell whether they all arrive.
        checkedCount: Math.min(2, count),
        contestants: siteContestants({ maxTurns }),
      })),
    ),
    {
      name: 'latency',
      kind: 'pages',
      title: 'latency: 75 sitemaps of 100 pages behind robots.txt and an index, each answer delayed by 50 ms',
      set: { format: 'urlset', entries: 100, count: 75 },
      delayMs: 50,
      contestants: siteContestants(),
    },
    {
      name: 'limited',
      group: 'trouble',
      kind: 'trouble',
      title:
        'trouble: 300 sitemaps of a page on a server that allows 10 requests a second (burst 20) and sends 503 beyond',
      set: { format: 'urlset', entries: 1, count: 300 },
      limit: { perSecond: 10, burst: 20 },
      contestants: siteContestants(),
    },
    {
      name: 'restart',
      group: 'trouble',
      kind: 'trouble',
      title:
        'trouble: 300 sitemaps of a page on a server that is down for 5 s after 100 requests, each delayed by 20 ms',
      set: { format: 'urlset', entries: 1, count: 300 },
      delayMs: 20,
      restart: { afterRequests: 100, ms: 5_000 },
      contestants: siteContestants(),
    },
    {
      name: 'memory',
      kind: 'memory',
      title: `memory: peak RSS of a process that reads so many sitemaps of ${thousands(pages)} pages once, the highest of all rounds`,
      counts: memorySitemaps.split(',').map(Number),
      set: urlsets,
      contestants: [false, true].flatMap((gzip) => {
        const [suffix, id] = gzip ? ['.gz', 'gz'] : ['plain', 'plain'];
        return [
          overHttp('ours', 'tree', { id: `tree-${id}`, label: `tree and walk, ${suffix}`, gzip }),
          overHttp('ours', 'stream', { id: `stream-${id}`, label: `stream, ${suffix}`, gzip }),
        ];
      }),
    },
    {
      name: 'archive',
      kind: 'archive',
      title: `archive: a site of ${siteSitemaps} × ${thousands(pages)} pages fetched, walked, saved as .warc.gz; loaded and walked by a second process`,
      set: urlsets(siteSitemaps),
      steps: [
        { id: 'fetch', label: 'fetch, to fetch and walk', versus: 'whole' },
        { id: 'walk', label: 'walk, to fetch and walk', versus: 'whole' },
        { id: 'save', label: 'save, to fetch and walk', versus: 'whole' },
        { id: 'load', label: 'load, to fetch and walk', versus: 'whole' },
        { id: 'walk-loaded', label: 'walk what was loaded, to walk', versus: 'walk' },
        { id: 'walk-loaded-async', label: 'the same with for await, to walk', versus: 'walk' },
      ],
      contestants: [],
    },
    ...[
      { name: 'check-plain', of: 'pages', set: urlsets(siteSitemaps) },
      {
        name: 'check-alternates',
        of: 'pages with ten alternates each',
        set: { format: 'alternates', entries: pages / 2, count: siteSitemaps * 2 },
      },
      {
        name: 'check-rich',
        of: 'pages with news, three images, a video and five alternates each',
        set: { format: 'rich', entries: richPages, count: 4 },
      },
    ].map(({ name, of, set }) => ({
      name,
      group: 'check',
      kind: 'pages',
      title: `check: a site of ${thousands(set.count)} × ${thousands(set.entries)} ${of} read from files and walked; read and checked, with all rules`,
      set,
      contestants: [
        { id: 'ours', module: 'our-check.js', task: 'walk', over: 'files', label: 'read and walk' },
        { id: 'check', module: 'our-check.js', task: 'check', over: 'files', label: 'read and check' },
      ],
    })),
    ...[
      { name: 'report-pages', of: `${siteSitemaps} × ${thousands(pages)} pages`, set: urlsets(siteSitemaps) },
      {
        name: 'report-sitemaps',
        of: `${thousands(50_000 * scale)} sitemaps of a page`,
        set: { tiny: 50_000 * scale },
      },
      {
        name: 'report-rich',
        of: `4 × ${thousands(richPages)} pages with news, three images, a video and five alternates each`,
        set: { format: 'rich', entries: richPages, count: 4 },
      },
    ].map(({ name, of, set }) => ({
      name,
      group: 'report',
      kind: 'pages',
      title: `report: a site of ${of} fetched, checked, and made into a report; to fetching and walking it`,
      set,
      contestants: [
        overHttp('our-report', 'walk', { id: 'ours', label: 'fetch and walk' }),
        overHttp('our-report', 'report', {
          id: 'report',
          label: 'fetch, check and report',
          findsPages: false,
        }),
        {
          ...overHttp('our-report', 'show', { id: 'show', label: 'show it in Chromium', findsPages: false }),
          needs: 'chromium',
        },
      ],
    })),
    {
      name: 'many-sites',
      kind: 'many-sites',
      title: `many-sites: usp crawl of ${thousands(10_000 * scale)} sites of 20 pages on addresses of 127.0.0.0/8, served by nginx`,
      sites: 10_000 * scale,
      pages: 20,
      contestants: [
        {
          id: 'one',
          label: 'one process, one site at once',
          args: ['--processes', '1', '--sites-at-once', '1'],
        },
        { id: 'ours', label: 'one process, 32 sites at once', args: ['--processes', '1'] },
        { id: 'two', label: 'two processes, 32 sites at once each', args: ['--processes', '2'] },
        {
          ...{ id: 'workers', label: 'two workers and Redis', needs: 'redis' },
          ...{ args: ['--processes', '1'], workers: 2 },
        },
      ],
    },
    {
      name: 'large-site',
      kind: 'many-sites',
      title: `large-site: usp crawl of ${thousands(1_000 * scale)} sites of 20 pages and one of ${siteSitemaps} × ${thousands(pages)} pages, served by nginx`,
      sites: 1_000 * scale,
      pages: 20,
      set: urlsets(siteSitemaps),
      contestants: [{ id: 'ours', label: 'one process, 32 sites at once', args: ['--processes', '1'] }],
    },
    {
      name: 'update',
      kind: 'update',
      title: `update: a site of ${siteSitemaps} × ${thousands(pages)} pages read and saved; then read again with nothing changed, by the same process and by another one, and with one document changed`,
      set: urlsets(siteSitemaps),
      steps: [
        { id: 'first', label: 'first read', versus: 'first' },
        { id: 'living', label: 'unchanged: read again by the process that read it', versus: 'first' },
        { id: 'unchanged', label: 'unchanged: load, read again', versus: 'first' },
        { id: 'unchanged-diff', label: 'unchanged: the differences', versus: 'first' },
        { id: 'unchanged-save', label: 'unchanged: save', versus: 'first' },
        { id: 'one', label: `one of ${siteSitemaps} changed: load, read again`, versus: 'first' },
        { id: 'one-diff', label: `one of ${siteSitemaps} changed: the differences`, versus: 'first' },
        { id: 'one-save', label: `one of ${siteSitemaps} changed: save`, versus: 'first' },
      ],
      contestants: [],
    },
    {
      name: 'diff',
      kind: 'diff',
      title: `diff: two archives of ${siteSitemaps} × ${thousands(pages)} pages compared; to walking both trees`,
      set: urlsets(siteSitemaps),
      contestants: [
        { id: 'walk', label: 'walk both, and read what is compared', task: 'walk', second: 'others' },
        { id: 'walk-async', label: 'the same with for await', task: 'walkAsync', second: 'others' },
        {
          id: 'listed',
          label: 'the same pages, and one more in each document',
          task: 'diff',
          second: 'listed',
        },
        { id: 'others', label: 'no page in common', task: 'diff', second: 'others' },
      ],
    },
    ...[
      { name: 'plain', perFile: 50_000, of: 'pages' },
      {
        name: 'rich',
        // Google reads 1,000 news of a file.
        perFile: 1000,
        of: 'pages with news, three images, a video and five alternates each',
      },
    ].flatMap(({ name, perFile, of }) =>
      [false, true].map((gzip) => ({
        name: `write-${name}${gzip ? '-gz' : ''}`,
        group: 'write',
        kind: 'write',
        title: `write: ${thousands(writePages)} ${of} into files of ${thousands(perFile)}${gzip ? ', .gz' : ''}`,
        pages: { count: writePages, perFile, gzip, isRich: name === 'rich' },
        contestants: [
          { id: 'ours', module: 'our-writer.js', task: 'write', label: 'writeSitemaps' },
          { id: 'sitemap-js', module: 'sitemap-js-writer.js', task: 'set', label: 'SitemapAndIndexStream' },
          {
            ...{ id: 'sitemap-js-streams', module: 'sitemap-js-writer.js', task: 'streams' },
            ...{ label: 'SitemapStream', note: 'one for each file, and no index' },
          },
        ],
      })),
    ),
    {
      name: 'version',
      group: 'start-up',
      kind: 'start-up',
      title: 'start-up: usp --version',
      contestants: [
        { id: 'ours', label: 'usp --version', usp: ['--version'] },
        { id: 'node', label: 'Node and an empty program', program: 'empty', note: 'the floor' },
      ],
    },
    {
      name: 'ls',
      group: 'start-up',
      kind: 'start-up',
      title: 'start-up: a site of one page listed, from the start of the process to its end',
      contestants: [
        { id: 'ours', label: 'usp ls', usp: ['ls', '--format', 'pages'] },
        { id: 'sitemapper', label: 'sitemapper', program: 'sitemapper', note: 'a program of five lines' },
        { id: 'crawlee', label: 'Crawlee', program: 'crawlee', note: 'a program of five lines' },
        { id: 'python', label: 'the Python library', python: 'list', needs: 'python' },
      ],
    },
    {
      name: 'broken',
      kind: 'broken',
      title: 'broken: the broken urlsets of test/fixtures/broken, each read on its own; nothing is timed',
      contestants: [
        inMemory('ours', 'pages'),
        overHttp('sitemapper', 'document', { id: 'sitemapper', note: ONE_OVER_HTTP }),
        inMemory('sitemap-js', 'document'),
        overHttp('crawlee', 'document', { id: 'crawlee', note: ONE_OVER_HTTP }),
      ],
    },
  ];
}

function siteContestants(peers = {}) {
  return [
    overHttp('ours', 'stream', { id: 'ours', label: 'stream' }),
    overHttp('ours', 'batches', { label: 'stream in batches' }),
    overHttp('ours', 'tree', { label: 'tree and walk' }),
    ...peersOverHttp(peers),
  ];
}

function peersOverHttp(more) {
  return [
    overHttp('sitemapper', 'site', {
      ...more,
      note: [more.note, 'is given the index, since it reads no robots.txt'].filter(Boolean).join('; '),
    }),
    overHttp('crawlee', 'site', more),
    overHttp('python-usp', 'site', { ...more, id: 'python', needs: 'python' }),
  ];
}

function inMemory(module, task, more = {}) {
  return { id: module, module: `${module}.js`, task, over: 'memory', ...more };
}

function overHttp(module, task, more = {}) {
  const id = task === 'site' ? module : `${module}-${task}`;
  return { id, module: `${module}.js`, task, over: 'http', ...more };
}
