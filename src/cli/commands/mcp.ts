/** `usp mcp`: a server for agents over stdin and stdout, until the client is gone. */
import { createMcpServer, type McpServerOptions } from '../../mcp/index.ts';
import { type CrawlFlags, crawlOptions } from '../args/option-flags.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliIO } from '../io.ts';
import type { Reporter, Verbosity } from '../messages/reporter.ts';

export interface McpFlags
  extends CrawlFlags,
    Verbosity,
    Pick<McpServerOptions, 'archives' | 'callsAtOnce' | 'resultBytes' | 'maxPages'> {
  /** Minutes. */
  readonly keep?: number | undefined;
  /** Seconds. */
  readonly callTime?: number | undefined;
}

export async function mcp(
  _none: undefined,
  options: McpFlags,
  io: CliIO,
  reporter: Reporter,
): Promise<ExitCode> {
  const { archives, callsAtOnce, resultBytes, maxPages, keep, callTime } = options;
  const server = await createMcpServer({
    ...crawlOptions(options),
    ...{ archives, callsAtOnce, resultBytes, maxPages },
    keepMs: keep === undefined ? undefined : Math.max(1, keep * 60_000),
    callMs: callTime === undefined ? undefined : callTime * 1000,
    logger: reporter.logger,
  });
  if (io.isTerminal.stdin) {
    reporter.hint('this is a server for agents, which start it themselves; Ctrl-D ends it.');
  }
  try {
    await server.serveStdio({ stdin: io.stdin, stdout: io.stdout, signal: io.signal });
  } finally {
    await server.close();
  }
  return EXIT.ok;
}
