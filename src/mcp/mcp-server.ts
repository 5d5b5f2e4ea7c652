/**
 * A server of the Model Context Protocol with tools that find, list, compare and check sitemaps. The protocol is that
 * of `@modelcontextprotocol/server`, an optional package, which is loaded when a server is made.
 *
 * Requests of an agent are not trusted: private networks are refused also for the homepage, the number of calls and the
 * memory are limited, and a call ends in time with a partial result.
 */
import { access, constants } from 'node:fs/promises';
import { Readable, Writable, type WritableOptions } from 'node:stream';
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server';
import { SITE_PAGE_FILTERS } from '../filter/filter-values.ts';
import { SitemapException, type SitePageOptions, type StreamOptions } from '../index.ts';
import { ownOptions, withDefaultsFor } from '../options/resolve.ts';
import { VERSION } from '../options/version.ts';
import { badOption } from '../problems/errors.ts';
import { checkNames } from '../problems/option-names.ts';
import { onAbort } from '../runtime/abort.ts';
import type { DisposesAsync } from '../runtime/closing.ts';
import { errorCode, fileTrouble, makeFolder } from '../runtime/files.ts';
import { SitePool } from '../site-pool.ts';
import { safeText } from '../text/safe-text.ts';
import { clip, count } from '../text/wording.ts';
import { changesSince } from './changes-tool.ts';
import { Readings } from './readings.ts';
import {
  checkTool,
  explainRule,
  findSitemaps,
  listPages,
  readSitemap,
  type SiteWorld,
} from './site-tools.ts';
import { type Notify, Refusal, resultText, ToolCall } from './tool-call.ts';
import { INSTRUCTIONS, TOOLS, type ToolName, wrongArgument } from './tool-schemas.ts';

/** Options that the server sets for each call. */
type CallOption =
  | keyof SitePageOptions
  | 'robotsAgent'
  | 'signal'
  | 'onProgress'
  | 'previous'
  | 'staleIfError'
  | 'recurseCallback'
  | 'recurseListCallback';

/**
 * The options of {@link createMcpServer}: those of a crawl, which apply to every site, and the limits of the server.
 * `allowPrivateNetworks` permits private addresses, also for homepages. Three have other defaults, each for one site:
 * `maxTimeMs` (600,000), `maxPages` (2,000,000) and `maxSitemaps` (10,000).
 */
export interface McpServerOptions extends Omit<StreamOptions, CallOption> {
  /**
   * The folder in which `changes_since` keeps archives of each site; it is created if it does not exist. Without it the
   * tool does not exist. @default none
   */
  readonly archives?: string | undefined;
  /** Most calls at once; one more is refused. @default 16 */
  readonly callsAtOnce?: number | undefined;
  /** A call ends after this time with a partial result, in milliseconds. @default 45000 */
  readonly callMs?: number | undefined;
  /** The most bytes of a result in JSON; a list has at least one item in any case. @default 40000 */
  readonly resultBytes?: number | undefined;
  /** How long a site is kept in memory after its last use, in milliseconds. @default 900000 */
  readonly keepMs?: number | undefined;
  /** The most bytes of all documents of one site after all decoding. @default 536870912 (512 MiB) */
  readonly maxSiteBytes?: number | undefined;
}

/** Where {@link SitemapMcpServer.serveStdio} reads and writes. */
export interface StdioOptions {
  /** @default `process.stdin` */
  readonly stdin?: AsyncIterable<Uint8Array> | undefined;
  /** @default `process.stdout` */
  readonly stdout?: { write(text: string): unknown } | undefined;
  /** Ends the connection. @default none */
  readonly signal?: AbortSignal | undefined;
}

/** The tools, and what their calls share: the sites that were read, the pace of hosts, and the limits. */
export interface SitemapMcpServer extends DisposesAsync {
  /**
   * An `McpServer` of `@modelcontextprotocol/server` with the tools, for one connection or one request: `McpServer` is
   * its type, which is not named here, since the package is optional.
   */
  connection(): unknown;
  /**
   * Serves one client over stdin and stdout; resolves when the client is gone or the signal aborts.
   *
   * @throws SitemapException with code `bad-input` if the client sends a message of more than 10 MiB
   */
  serveStdio(options?: StdioOptions): Promise<void>;
  /** Ends all calls, and releases all memory and files. Also done by `await using`. */
  close(): Promise<void>;
}

const OWN_OPTIONS = ['callsAtOnce', 'callMs', 'resultBytes', 'keepMs', 'maxSiteBytes'] as const;

type Run = (args: Readonly<Record<string, unknown>>, call: ToolCall) => Promise<object>;

/**
 * Makes a server of the Model Context Protocol.
 *
 * @example
 * ```ts
 * import { createMcpServer } from 'ultimate-sitemap-parser/mcp';
 *
 * const agents = await createMcpServer({ userAgent: 'my-agent/1.0' });
 * const server = agents.connection(); // an McpServer, for any transport; agents.serveStdio() is for stdin and stdout
 * await agents.close();
 * ```
 *
 * @throws SitemapException with code `mcp-package-missing` if `@modelcontextprotocol/server` is not installed, or
 * `bad-option`
 */
export async function createMcpServer(options: McpServerOptions = {}): Promise<SitemapMcpServer> {
  const [limits, { archives, ...siteOptions }] = ownOptions(options, OWN_OPTIONS);
  checkServerOptions(siteOptions);
  const crawl = withDefaultsFor('agents', siteOptions);
  if (archives !== undefined) await makeArchiveFolder(archives);
  return new AgentServer(await loadPackage(), { limits, crawl, archives });
}

/** @throws SitemapException for an option that would be ignored, since each call chooses its pages */
function checkServerOptions(options: object): void {
  const callOptions = [...Object.keys(SITE_PAGE_FILTERS), 'robotsAgent'];
  const name = callOptions.find((each) => Reflect.get(options, each) !== undefined);
  if (name === undefined) return;
  throw badOption(
    `The option "${name}" is not an option of the server: each call of list_pages has its own.`,
    name,
  );
}

interface ServerSettings {
  readonly limits: Readonly<Record<(typeof OWN_OPTIONS)[number], number>>;
  readonly crawl: Omit<McpServerOptions, 'archives' | (typeof OWN_OPTIONS)[number]>;
  readonly archives: string | undefined;
}

class AgentServer implements SitemapMcpServer {
  readonly #package: McpPackage;
  readonly #limits: ServerSettings['limits'];
  readonly #world: SiteWorld;
  readonly #tools: ReadonlyMap<ToolName, Run>;
  #working = 0;

  constructor(mcp: McpPackage, { limits, crawl, archives }: ServerSettings) {
    this.#package = mcp;
    this.#limits = limits;
    const { callsAtOnce: atOnce, keepMs, maxSiteBytes, resultBytes } = limits;
    this.#world = {
      pool: new SitePool(crawl, { isSiteGuarded: crawl.allowPrivateNetworks !== true }),
      readings: new Readings({ atOnce, keepMs, maxSiteBytes, maxPages: crawl.maxPages! }),
      resultBytes,
    };
    this.#tools = new Map(toolsOf(this.#world, archives));
  }

  connection(): McpServer {
    const [sdk] = this.#package;
    const info = { name: 'ultimate-sitemap-parser', version: VERSION };
    const server = new sdk.McpServer(info, { instructions: INSTRUCTIONS, maxToolInputElements: 1000 });
    for (const [name, run] of this.#tools) {
      const { inputSchema: _, outputSchema, ...about } = TOOLS[name];
      const inputSchema = inputSchemaOf(name, sdk);
      const schemas = { inputSchema, outputSchema: sdk.fromJsonSchema({ ...outputSchema }) };
      server.registerTool(name, { ...about, ...schemas }, (args, context) =>
        resultOf(name, args, () => this.#run(run, args, context)),
      );
    }
    return server;
  }

  /** Limits the calls at once. A further call is refused, so that no call waits without a result. */
  async #run(run: Run, args: Parameters<Run>[0], context: ServerContext): Promise<object> {
    const { callsAtOnce, callMs } = this.#limits;
    const call = new ToolCall(context.mcpReq.signal, callMs, notifier(context));
    if (this.#working >= callsAtOnce)
      throw new Refusal(
        `${count(callsAtOnce, 'call is', 'calls are')} running, which is the limit. ` +
          'Call again when one has ended.',
      );
    this.#working++;
    try {
      return await run(args, call);
    } finally {
      this.#working--;
    }
  }

  async serveStdio(options: StdioOptions = {}): Promise<void> {
    checkNames(options, ['stdin', 'stdout', 'signal']);
    const { stdin = process.stdin, stdout = process.stdout, signal } = options;
    const [, { serveStdio, StdioServerTransport }] = this.#package;
    const input = stdin instanceof Readable ? stdin : Readable.from(stdin, { objectMode: false });
    const write: WritableOptions['write'] = (text, _encoding, done) => done(void stdout.write(String(text)));
    const output = stdout instanceof Writable ? stdout : new Writable({ write });
    const transport = new StdioServerTransport(input, output);
    let isTooLong = false;
    const closed = new Promise<void>((resolve) => {
      const { close } = transport;
      transport.close = async () => {
        await close.call(transport);
        resolve();
      };
    });
    const onerror = (error: Error): void => {
      isTooLong ||= /exceeded maximum size/.test(error.message);
    };
    const handle = serveStdio(() => this.connection(), { transport, onerror });
    const stopListening = onAbort(signal, () => void handle.close());
    await closed;
    if (input !== stdin) input.destroy();
    stopListening();
    if (!isTooLong) return;
    const message = 'The client sent a message of more than 10 MiB, so the connection was closed.';
    throw new SitemapException(message, { code: 'bad-input' });
  }

  async close(): Promise<void> {
    await this.#world.readings.close();
    await this.#world.pool.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The tools in the order in which clients show them. @param archives - the folder that `changes_since` needs */
function* toolsOf(world: SiteWorld, archives: string | undefined): Generator<readonly [ToolName, Run]> {
  yield ['find_sitemaps', (args, call) => findSitemaps(world, args, call)];
  yield ['list_pages', (args, call) => listPages(world, args, call)];
  if (archives !== undefined)
    yield ['changes_since', (args, call) => changesSince({ ...world, archives }, args, call)];
  yield ['read_sitemap', (args, call) => readSitemap(world, args, call)];
  yield ['check_site', (args, call) => checkTool(world, args, call)];
  yield ['explain_rule', (args) => explainRule(args, world.resultBytes)];
}

/** The schema of a tool's arguments. It has its own messages, since those of the SDK do not say what to do. */
function inputSchemaOf(name: ToolName, sdk: McpPackage[0]) {
  const { inputSchema } = TOOLS[name];
  const properties: Readonly<Record<string, unknown>> = Object(inputSchema['properties']);
  const required = [inputSchema['required']].flat().map(String);
  const standardOf = (schema: object) =>
    sdk.fromJsonSchema<Record<string, unknown>>({ ...schema })['~standard'];
  const standard = standardOf(inputSchema);
  const isRefused = async (argument: string, value: unknown): Promise<boolean> => {
    const one = { ...inputSchema, properties: { [argument]: properties[argument] }, required: [argument] };
    const { issues } = await standardOf(one).validate(value === undefined ? {} : { [argument]: value });
    return issues !== undefined;
  };
  const validate = async (args: unknown): Promise<Awaited<ReturnType<typeof standard.validate>>> => {
    const result = await standard.validate(args);
    const message = result.issues === undefined ? undefined : await wrongIn(Object(args));
    return message === undefined ? result : { issues: [{ message: safeText(message, 'terminal') }] };
  };
  const wrongIn = async (args: Readonly<Record<string, unknown>>): Promise<string | undefined> => {
    const names = Object.keys(properties);
    const unknown = Object.keys(args).filter((each) => !names.includes(each));
    const wrong = clip(unknown.map((each) => `"${each}"`).join(', '), 200);
    if (unknown.length > 0) return `there is no argument ${wrong}; ${name} takes ${names.join(', ')}`;
    for (const argument of names) {
      const isGiven = Object.hasOwn(args, argument) || required.includes(argument);
      if (isGiven && (await isRefused(argument, args[argument])))
        return wrongArgument(name, argument, args[argument]);
    }
    return undefined;
  };
  return { '~standard': { ...standard, validate } };
}

async function makeArchiveFolder(archives: unknown): Promise<void> {
  if (typeof archives !== 'string' || archives === '')
    throw badOption('The option "archives" must be the path of a folder.', 'archives');
  try {
    await makeFolder(archives);
    await access(archives, constants.W_OK);
  } catch (cause) {
    const why = errorCode(cause) === 'EEXIST' ? 'it is a file, not a folder' : fileTrouble(cause);
    const message = `The folder for archives, ${archives}, cannot be written to: ${why}.`;
    throw new SitemapException(message, { code: 'bad-option', option: 'archives', cause });
  }
}

type McpPackage = readonly [
  typeof import('@modelcontextprotocol/server'),
  typeof import('@modelcontextprotocol/server/stdio'),
];

async function loadPackage(): Promise<McpPackage> {
  try {
    return await Promise.all([
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/server/stdio'),
    ]);
  } catch (cause) {
    throw new SitemapException(
      'The server for agents needs one more package. Install it beside this one: ' +
        'npm install @modelcontextprotocol/server',
      { code: 'mcp-package-missing', cause },
    );
  }
}

/** Sends progress if the client asked for it. */
function notifier({ mcpReq }: ServerContext): Notify | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress) => {
    // The client may be gone; then so is the call.
    mcpReq
      .notify({ method: 'notifications/progress', params: { progressToken, ...progress } })
      .catch(() => {});
  };
}

async function resultOf(
  name: ToolName,
  args: Readonly<Record<string, unknown>>,
  run: () => Promise<object>,
): Promise<CallToolResult> {
  try {
    const text = resultText(await run());
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
  } catch (error) {
    return {
      content: [{ type: 'text', text: safeText(describeError(error, name, args), 'terminal') }],
      isError: true,
    };
  }
}

function describeError(error: unknown, name: ToolName, args: Readonly<Record<string, unknown>>): string {
  const argument =
    error instanceof SitemapException && error.code === 'bad-option' ? error.option : undefined;
  // The message names the argument of the tool instead of the option of the library.
  if (argument !== undefined && Object.hasOwn(args, argument))
    return wrongArgument(name, argument, args[argument]);
  if (error instanceof Refusal || error instanceof SitemapException) return error.message;
  return `This is a bug in usp: ${error instanceof Error ? error.message : String(error)}`;
}
