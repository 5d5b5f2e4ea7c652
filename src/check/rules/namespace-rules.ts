/** Whether the namespaces of extensions are spelled right. */
import type { TagAttribute } from '../../parse/listener.ts';
import { readNamespace, usualMeaning, type Vocabulary } from '../../parse/xml/tag-names.ts';
import type { Problem } from '../../problems/problem-list.ts';
import type { CheckedDocument, DocumentListener, DocumentRule, RuleRows } from '../rule.ts';

export type ExtensionsRule = 'extension-namespace';

export const EXTENSIONS_RULES: RuleRows<ExtensionsRule> = {
  'extension-namespace': {
    severity: 'warning',
    about: 'extensions',
    documents: ['pages-xml', 'pages-rss', 'pages-atom'],
    explanation: {
      what:
        'A prefix of news, images, videos or alternates is used with a namespace that is not exactly the ' +
        'right one.',
      why: 'A namespace is compared letter by letter: other programs lose what is written with this prefix.',
      fix: 'Copy the namespace exactly, with `http:` where it has `http:`, and without a slash at its end.',
    },
    bad: 'xmlns:image="https://www.google.com/schemas/sitemap-image/1.1/"',
    good: 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"',
    source: 'https://developers.google.com/search/docs/crawling-indexing/sitemaps/combine-sitemap-extensions',
  },
};

/** A root further down in a document is not waited for. */
const LONGEST_OPENING = 256 * 1024;

/** The namespaces as they must be written. */
const RIGHT: Partial<Record<Vocabulary, string>> = {
  news: 'http://www.google.com/schemas/sitemap-news/0.9',
  image: 'http://www.google.com/schemas/sitemap-image/1.1',
  video: 'http://www.google.com/schemas/sitemap-video/1.1',
  xhtml: 'http://www.w3.org/1999/xhtml',
};

/** The rule about namespaces of extensions. */
export const extensions: DocumentRule<ExtensionsRule> = (document): DocumentListener => {
  const namespaces = new Namespaces(document);
  return {
    text: (chunk) => namespaces.text(chunk),
    root: (name, _offset, attributes) => namespaces.root(name, attributes),
    problem: (problem) => namespaces.problem(problem),
  };
};

/** A prefix with the usual name of an extension and the namespace of something else. */
interface Suspect {
  readonly prefix: string;
  readonly vocabulary: Vocabulary;
  readonly attribute: TagAttribute;
}

class Namespaces {
  readonly #document: CheckedDocument<ExtensionsRule>;
  #declared: readonly TagAttribute[] = [];
  #rootNamespace: string | undefined;
  /** Those of the root whose prefix has not been used so far. */
  #suspects: Suspect[] = [];
  /** The text up to where the root is heard of, which is some way behind it. */
  #opening: string | undefined = '';
  #tail = '';

  constructor(document: CheckedDocument<ExtensionsRule>) {
    this.#document = document;
  }

  text(chunk: Uint8Array): void {
    if (this.#opening === undefined && this.#suspects.length === 0) return;
    const text = new TextDecoder('latin1').decode(chunk);
    if (this.#opening === undefined) this.#search(text);
    else if (this.#opening.length < LONGEST_OPENING) this.#opening += text;
  }

  root(name: string, attributes: readonly TagAttribute[]): void {
    this.#declared = attributes.filter((attribute) => attribute.name.startsWith('xmlns'));
    const colon = name.indexOf(':');
    const own = colon === -1 ? 'xmlns' : `xmlns:${name.slice(0, colon)}`;
    this.#rootNamespace = this.#declared.find((attribute) => attribute.name === own)?.value;
    for (const attribute of this.#declared) {
      const prefix = attribute.name.slice('xmlns:'.length);
      const vocabulary = usualMeaning(prefix);
      if (vocabulary === undefined || RIGHT[vocabulary] === undefined) continue;
      // One that is only misspelled is a problem of the parser, once it is used.
      if (readNamespace(attribute.value)?.vocabulary === vocabulary) continue;
      this.#suspects.push({ prefix, vocabulary, attribute });
    }
    if (this.#suspects.length > 0) this.#search(this.#opening ?? '');
    this.#opening = undefined;
  }

  /** Whether a tag with the prefix of a suspect is in the text. There hardly ever is a suspect. */
  #search(chunk: string): void {
    const text = this.#tail + chunk;
    this.#tail = text.slice(-20);
    this.#suspects = this.#suspects.filter(({ prefix, vocabulary, attribute }) => {
      if (!text.includes(`<${prefix}:`)) return true;
      this.#report(attribute.value, vocabulary, attribute.offset);
      return false;
    });
  }

  problem({ code, message, offset }: Problem): boolean {
    if (code !== 'wrong-namespace') return false;
    const uri = /^The namespace "(.*)" is not exactly/s.exec(message)?.[1];
    const vocabulary = uri === undefined ? undefined : readNamespace(uri)?.vocabulary;
    if (uri === undefined || uri === this.#rootNamespace || vocabulary === undefined) return false;
    const place = this.#declared.find(({ value }) => value === uri)?.offset ?? offset;
    this.#report(uri, vocabulary, place);
    return true;
  }

  #report(uri: string, vocabulary: Vocabulary, offset: number | undefined): void {
    const right = RIGHT[vocabulary];
    const shown = uri.slice(0, 200);
    const hint = right === undefined ? '' : `; it must be ${right}`;
    const message = `The namespace "${shown}" of the ${vocabulary} extension is not right${hint}.`;
    this.#document.report({ rule: 'extension-namespace', message, offset });
  }
}
