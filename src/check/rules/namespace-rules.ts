/** Whether the namespaces of extensions are spelled right. */
import type { TagAttribute } from '../../parse/listener.ts';
import { readNamespace, usualMeaning, type Vocabulary } from '../../parse/xml/tag-names.ts';
import { type DocumentRule, type Rows, ruleRows } from '../rule.ts';

const EXTENSIONS = {
  severity: 'warning',
  about: 'extensions',
  documents: ['pages-xml', 'pages-rss', 'pages-atom'],
  source: 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/combine-sitemap-extensions',
} as const;

export const EXTENSIONS_RULES: Rows = ruleRows(EXTENSIONS, {
  'extension-namespace': {
    what:
      'A prefix of news, images, videos or alternates is used with a namespace that is not exactly the ' +
      'right one.',
    why: 'A namespace is compared letter by letter: other programs lose what is written with this prefix.',
    fix: 'Copy the namespace exactly, with `http:` where it has `http:`, and without a slash at its end.',
    bad: 'xmlns:image="https://www.google.com/schemas/sitemap-image/1.1/"',
    good: 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
  },
});

/** A root further down in a document is not waited for. */
const LONGEST_OPENING = 256 * 1024;

/** The namespaces as they must be written. */
const RIGHT: Partial<Record<Vocabulary, string>> = {
  news: 'http://www.google.com/schemas/sitemap-news/0.9',
  image: 'http://www.google.com/schemas/sitemap-image/1.1',
  video: 'http://www.google.com/schemas/sitemap-video/1.1',
  xhtml: 'http://www.w3.org/1999/xhtml',
};

/** A prefix with the usual name of an extension and the namespace of something else. */
interface Suspect {
  readonly prefix: string;
  readonly vocabulary: Vocabulary;
  readonly attribute: TagAttribute;
}

export const extensions: DocumentRule = (document) => {
  let declared: readonly TagAttribute[] = [];
  let rootNamespace: string | undefined;
  /** Those of the root whose prefix has not been used so far. */
  let suspects: Suspect[] = [];
  /** The text up to where the root is heard of, which is some way behind it. */
  let opening: string | undefined = '';
  let tail = '';

  const report = (uri: string, vocabulary: Vocabulary, offset: number | undefined): void => {
    const right = RIGHT[vocabulary];
    const hint = right === undefined ? '' : `; it must be ${right}`;
    const message = `The namespace "${uri.slice(0, 200)}" of the ${vocabulary} extension is not right${hint}.`;
    document.report({ rule: 'extension-namespace', message, offset });
  };
  /** Whether a tag with the prefix of a suspect is in the text. There hardly ever is a suspect. */
  const search = (chunk: string): void => {
    const text = tail + chunk;
    tail = text.slice(-20);
    suspects = suspects.filter(({ prefix, vocabulary, attribute }) => {
      if (!text.includes(`<${prefix}:`)) return true;
      report(attribute.value, vocabulary, attribute.offset);
      return false;
    });
  };

  return {
    text(chunk) {
      if (opening === undefined && suspects.length === 0) return;
      const text = new TextDecoder('latin1').decode(chunk);
      if (opening === undefined) search(text);
      else if (opening.length < LONGEST_OPENING) opening += text;
    },
    root(name, _offset, attributes) {
      declared = attributes.filter((attribute) => attribute.name.startsWith('xmlns'));
      const colon = name.indexOf(':');
      const own = colon === -1 ? 'xmlns' : `xmlns:${name.slice(0, colon)}`;
      rootNamespace = declared.find((attribute) => attribute.name === own)?.value;
      for (const attribute of declared) {
        const prefix = attribute.name.slice('xmlns:'.length);
        const vocabulary = usualMeaning(prefix);
        if (vocabulary === undefined || RIGHT[vocabulary] === undefined) continue;
        // One that is only misspelled is a problem of the parser, once it is used.
        if (readNamespace(attribute.value)?.vocabulary === vocabulary) continue;
        suspects.push({ prefix, vocabulary, attribute });
      }
      if (suspects.length > 0) search(opening ?? '');
      opening = undefined;
    },
    problem({ code, message, offset }) {
      if (code !== 'wrong-namespace') return false;
      const uri = /^The namespace "(.*)" is not exactly/s.exec(message)?.[1];
      const vocabulary = uri === undefined ? undefined : readNamespace(uri)?.vocabulary;
      if (uri === undefined || uri === rootNamespace || vocabulary === undefined) return false;
      report(uri, vocabulary, declared.find(({ value }) => value === uri)?.offset ?? offset);
      return true;
    },
  };
};
