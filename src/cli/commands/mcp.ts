/** `usp mcp`: a server for agents over stdin and stdout, until the client is gone. */
import { createMcpServer } from '../../mcp/index.ts';
import { crawlOptions } from '../args/option-flags.ts';
import { EXIT } from '../endings.ts';
import type { CommandRun } from '../io.ts';
import type { CrawlFlags, FlagsOf, MCP, PageFlags } from '../program/flags.ts';

type McpFlags = FlagsOf<typeof MCP> & CrawlFlags & Pick<PageFlags, 'maxPages'>;

export const mcp: CommandRun<undefined, McpFlags> = async (_none, options, io, reporter) => {
  const { archiveDir: archives, callsAtOnce, resultBytes, maxPages, keep, callTime } = options;
  const server = await createMcpServer({
    ...crawlOptions(options),
    mapHosts: options.mapHost,
    archives,
    callsAtOnce,
    resultBytes,
    maxPages,
    keepMs: wholeMs(keep, 60_000),
    callMs: wholeMs(callTime, 1000),
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
};

/** The server takes whole milliseconds, 1 or more; a time may have a fraction. */
function wholeMs(time: number | undefined, unitMs: number): number | undefined {
  return time === undefined ? undefined : Math.max(1, Math.round(time * unitMs));
}
