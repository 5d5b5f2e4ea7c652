/** Official clients of the Model Context Protocol, connected to `usp mcp` over pipes. */
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { Client, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { BINARY, build } from './cli-binary.ts';
import { usp } from './cli-world.ts';
import { sized } from './tier.ts';
import { waitingFor } from './waits.ts';

/** What a tool answered: its text, and the same as an object where it is not an error. */
interface Answer {
  readonly isError: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each tool has its own.
  readonly data: any;
}

export interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

interface CallOptions {
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
}

export interface Agent {
  call(tool: string, args: object, options?: CallOptions): Promise<Answer>;
  tools(): Promise<readonly ListedTool[]>;
  /** The process of the server. */
  readonly pid: number;
  close(): Promise<void>;
}

interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: object;
  readonly outputSchema?: object | undefined;
  readonly annotations?: Readonly<Record<string, unknown>> | undefined;
}

const INFO = { name: 'test', version: '1' };

export const CLIENTS = ['@modelcontextprotocol/client', '@modelcontextprotocol/sdk'] as const;

/** For what has little to do with the client. */
export const SOME_CLIENTS: readonly (typeof CLIENTS)[number][] = sized<readonly (typeof CLIENTS)[number][]>({
  fast: CLIENTS.slice(0, 1),
  full: CLIENTS,
});

/** Starts `usp mcp` with these flags, as a process. */
export async function startAgent(
  flags: readonly string[],
  client: (typeof CLIENTS)[number] = CLIENTS[0],
): Promise<Agent> {
  await build();
  const server = {
    command: process.execPath,
    args: [BINARY, 'mcp', ...flags],
    // A client gives only a few variables by itself; with these the process has our clock under faketime.
    env: { ...process.env } as Record<string, string>,
    stderr: 'inherit' as const,
  };
  return client === '@modelcontextprotocol/client' ? newer(server) : older(server);
}

/** Starts `usp mcp` in this process, where the client can: a process costs most of a second. */
export async function anAgent(
  flags: readonly string[],
  client: (typeof CLIENTS)[number] = CLIENTS[0],
): Promise<Agent> {
  if (client !== CLIENTS[0]) return startAgent(flags, client);
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const ended = usp(['mcp', ...flags], { chunks: toServer, stdout: toClient });
  const connected = await connectedTo(pipes(toClient, toServer));
  return {
    ...connected,
    pid: process.pid,
    close: async () => {
      await connected.close();
      await ended;
    },
  };
}

/** What StdioClientTransport does with the pipes of a process. */
function pipes(from: Readable, to: Writable): Transport {
  const buffer = new ReadBuffer();
  const transport: Transport = {
    start: async () => {
      from.on('data', (chunk: Buffer) => {
        buffer.append(chunk);
        for (let next = buffer.readMessage(); next !== null; next = buffer.readMessage())
          transport.onmessage?.(next);
      });
    },
    send: async (message) => void to.write(serializeMessage(message)),
    close: async () => {
      to.end();
      transport.onclose?.();
    },
  };
  return transport;
}

type ServerParameters = ConstructorParameters<typeof StdioClientTransport>[0];

async function newer(server: ServerParameters): Promise<Agent> {
  const transport = new StdioClientTransport(server);
  return { ...(await connectedTo(transport)), pid: transport.pid! };
}

async function connectedTo(transport: Transport): Promise<Omit<Agent, 'pid'>> {
  const client = new Client(INFO);
  await client.connect(transport);
  return {
    call: async (name, args, options) =>
      answerOf(
        await waitingFor(
          () => `the answer of ${name} to ${JSON.stringify(args)}`,
          client.callTool({ name, arguments: { ...args } }, options),
        ),
      ),
    tools: async () => (await client.listTools()).tools,
    close: () => client.close(),
  };
}

async function older(server: ServerParameters): Promise<Agent> {
  // Few tests need it.
  const { Client: OlderClient } = await import('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport: OlderTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const transport = new OlderTransport(server);
  const client = new OlderClient(INFO);
  await client.connect(transport);
  return {
    call: async (name, args, options) =>
      answerOf(await client.callTool({ name, arguments: { ...args } }, undefined, options)),
    tools: async () => (await client.listTools()).tools,
    pid: transport.pid!,
    close: () => client.close(),
  };
}

function answerOf(result: object): Answer {
  const { content, structuredContent, isError } = result as {
    content: readonly { text?: string }[];
    structuredContent?: object;
    isError?: boolean;
  };
  return { isError: isError === true, text: content[0]?.text ?? '', data: structuredContent };
}
