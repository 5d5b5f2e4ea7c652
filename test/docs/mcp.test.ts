/** docs/mcp.md: its transcript is what the tools return, its flags and tools are those of the command. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedServer, startServer } from '../server/scripted-server.ts';
import { testIf } from '../support/collected.ts';
import { DOCS, docPage, tableRows } from '../support/docs-pages.ts';
import { exampleSite } from '../support/docs-site.ts';
import { folderUntil } from '../support/folder.ts';
import { type Agent, anAgent } from '../support/mcp-client.ts';

/** What the transcript shows; `…` is the cursor or token of the result before. */
const CALLS: readonly (readonly [string, object])[] = [
  ['find_sitemaps', { url: 'https://example.org/', limit: 3 }],
  ['list_pages', { url: 'https://example.org/', limit: 2 }],
  ['list_pages', { cursor: '…', limit: 1 }],
  ['changes_since', { url: 'https://example.org/', limit: 1 }],
  ['check_site', { url: 'https://example.org/', limit: 1 }],
  ['find_sitemaps', { url: 'http://192.168.1.1/' }],
];

const folder = folderUntil(afterAll);
let server: ScriptedServer;
let agents: readonly Agent[];
beforeAll(async () => {
  server = await startServer({});
  Object.assign(server.site, exampleSite(server.origin));
  const flags = ['--archive-dir', folder, '--no-known', '--concurrency', '1'];
  agents = [await anAgent([...flags, '--allow-private']), await anAgent(flags)];
});
afterAll(async () => {
  for (const agent of agents ?? []) await agent.close();
  await server?.close();
});

async function transcript(): Promise<string> {
  const blocks: string[] = [];
  let before = '';
  for (const [tool, args] of CALLS) {
    const asked = JSON.stringify(args)
      .replaceAll('https://example.org', server.origin)
      .replaceAll('"…"', JSON.stringify(before));
    // The server of the examples is on loopback; an address of a private network is refused without that flag.
    const agent = asked.includes('192.168') ? agents[1] : agents[0];
    const { data, text, isError } = await agent!.call(tool, JSON.parse(asked));
    before = data?.nextCursor ?? data?.token ?? '';
    const shown = isError
      ? text
      : JSON.stringify(data, null, 2).replaceAll(before === '' ? '\0' : before, '…');
    // The documents have the port of the server in them.
    const shortened = shown
      .replaceAll(server.origin, 'https://example.org')
      .replace(/"(bytes|ageSeconds)": \d+/g, '"$1": …')
      .replace(/"readAt": "[^"]+"/, '"readAt": "…"');
    blocks.push(`\`\`\`text\n${tool} ${JSON.stringify(args)}\n${shortened}\n\`\`\`\n`);
  }
  return `\n${blocks.join('\n')}\n`;
}

// The dates of the example site are in the future of an earlier clock, and the check says so.
testIf(Date.now() > Date.UTC(2024, 11, 31))(
  'the transcript is that of a real run (UPDATE_DOCS=1 writes it)',
  async () => {
    const [begin, end] = ['<!-- begin: transcript -->\n', '<!-- end: transcript -->'];
    const page = docPage('mcp.md');
    const [before = '', rest = ''] = page.split(begin);
    const [written = '', after = ''] = rest.split(end);
    const real = await transcript();
    if (process.env['UPDATE_DOCS'] === '1')
      writeFileSync(join(DOCS, 'mcp.md'), `${before}${begin}${real}${end}${after}`);
    else expect(written).toBe(real);
  },
);

test('the table has every tool', async () => {
  const tools = (await agents[0]!.tools()).map(({ name }) => `\`${name}\``);
  const rows = tableRows(readFileSync(join(DOCS, 'mcp.md'), 'utf8')).map(([first]) => first);
  expect(rows).toEqual(['Tool', ...tools]);
});
