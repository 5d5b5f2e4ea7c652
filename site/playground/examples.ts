/** Files to try: those of the demo site, which `npm run demo` serves too. */

/** A set of files that shows something. */
export interface Example {
  readonly name: string;
  readonly files: readonly string[];
}

/** The address that the files of the demo site say they are at. */
const HOME = 'https://demo.example/';

const FILES = import.meta.glob<string>('../../examples/demo-site/**/*.{xml,txt,rss,atom,gz}', {
  query: '?url',
  import: 'default',
  eager: true,
});

const WHOLE_SITE = [
  'sitemap_index.xml',
  'robots.txt',
  'pages.xml',
  'news.xml',
  'gallery.xml',
  'videos.xml',
  'languages.xml',
  'broken.xml',
  'products/index.xml',
  'products/chairs.xml',
  'products/tables.xml.gz',
];

export const EXAMPLES: readonly Example[] = [
  { name: 'A broken sitemap', files: ['broken.xml'] },
  { name: 'A whole site: index, robots.txt, gzip', files: WHOLE_SITE },
  { name: 'News', files: ['news.xml'] },
  { name: 'Languages (hreflang)', files: ['languages.xml'] },
  { name: 'Images', files: ['gallery.xml'] },
  { name: 'Videos', files: ['videos.xml'] },
  { name: 'RSS feed', files: ['feeds/blog.rss'] },
];

/** A file of an example. */
export interface ExampleFile {
  readonly name: string;
  readonly url: string;
  readonly file: Blob;
}

/** Fetches the files of an example, from this site. */
export function loadExample({ files }: Example): Promise<readonly ExampleFile[]> {
  return Promise.all(
    files.map(async (name) => {
      const response = await fetch(FILES[`../../examples/demo-site/${name}`] ?? '');
      if (!response.ok) throw new Error(`The example ${name} could not be loaded. Reload the page.`);
      return { name, url: new URL(name, HOME).href, file: await response.blob() };
    }),
  );
}
