/**
 * Exceptions are for callers' mistakes and for what a caller must decide on. What is wrong with a
 * sitemap is never thrown: it is a {@link Problem} on the node it belongs to.
 */

/** The options of a {@link SitemapException}: its fields apart from the message. */
export interface SitemapExceptionOptions {
  /** A stable kebab-case word for programs; the message is for people and may change. */
  readonly code: string;
  /** The URL it is about, where there is one. */
  readonly url?: string | undefined;
  /** The option that it is about, or that would change it. */
  readonly option?: string | undefined;
  /** The error that caused it. */
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

/** @internal A caller's mistake: an option that is unknown, or has a wrong value. */
export function badOption(message: string, option?: string): SitemapException {
  return new SitemapException(message, { code: 'bad-option', option });
}

/** @internal For what is iterated over once: each loop calls the returned function, which throws in a second one. */
export function forOneLoop(code: string, message: string): () => void {
  let isUsed = false;
  return () => {
    if (isUsed) throw new SitemapException(message, { code });
    isUsed = true;
  };
}

/** @internal Items for one loop: a second loop throws, where one over a plain generator would silently find nothing. */
export function oneLoopOver<Item>(
  items: AsyncGenerator<Item, void, undefined>,
  use: () => void,
): AsyncGenerator<Item, void, undefined> {
  const delegating = (async function* () {
    yield* items;
  })();
  const begin = (): typeof items => {
    use();
    return items;
  };
  return Object.assign(delegating, { [Symbol.asyncIterator]: begin });
}

/** @internal Pieces of a text that can be iterated over once. @param maker - the function that makes them */
export function textForOneLoop(
  pieces: AsyncGenerator<string, void, undefined>,
  maker: string,
): AsyncGenerator<string, void, undefined> {
  const message = `What ${maker} returns can be iterated over once; call ${maker} again.`;
  return oneLoopOver(pieces, forOneLoop('text-used', message));
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
  // Not by assignment, which throws where it is frozen.
  Reflect.set(Error, 'stackTraceLimit', count);
  return before;
}
