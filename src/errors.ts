/**
 * Exceptions are for callers' mistakes and for what a caller must decide on. What is wrong with a
 * sitemap is never thrown: it is a {@link Problem} on the node it belongs to.
 */

/** What a {@link SitemapException} may carry besides its message. */
export interface SitemapExceptionOptions {
  /** A stable kebab-case word for programs; the message is for people and may change. */
  readonly code: string;
  /** The URL it is about, where there is one. */
  readonly url?: string | undefined;
  /** The option that it is about, or that would change it. */
  readonly option?: string | undefined;
  /** What was behind it. */
  readonly cause?: unknown;
}

/** The base of everything that this library throws. */
export class SitemapException extends Error {
  override readonly name: string = 'SitemapException';
  /** A stable kebab-case word for programs. */
  readonly code: string;
  /** The URL it is about, where there is one. */
  readonly url: string | undefined;
  /** The option that it is about, or that would change it, where there is one. */
  readonly option: string | undefined;

  constructor(message: string, options: SitemapExceptionOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = options.code;
    this.url = options.url;
    this.option = options.option;
  }
}

/** @internal A caller's mistake: something else than what a function needs. */
export function badInput(message: string): SitemapException {
  return new SitemapException(message, { code: 'bad-input' });
}

/** The document is XML, but of a vocabulary that is neither a sitemap nor a feed. */
export class SitemapXMLParsingException extends SitemapException {
  override readonly name = 'SitemapXMLParsingException';
}

/**
 * Makes an error that is a value rather than a mistake: why a document could not be had. A site has some twenty known
 * paths, mostly 404, and to record where in our code each of these errors was made takes longer than making it.
 */
export function withoutStack<Made extends Error>(make: () => Made): Made {
  const before = recordFrames(0);
  try {
    return make();
  } finally {
    recordFrames(before);
  }
}

/** Sets how many frames of the stack new errors record. @returns how many it was */
export function recordFrames(count: number): number {
  const before = Error.stackTraceLimit;
  // Not by assignment, which throws where somebody has frozen it.
  Reflect.set(Error, 'stackTraceLimit', count);
  return before;
}
