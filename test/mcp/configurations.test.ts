/** The configurations of docs/mcp.md start a server that an official client can talk to. */

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build } from '../support/cli-binary.ts';
import { codeBlocksOf, docPages } from '../support/docs-pages.ts';
import { folderUntil } from '../support/folder.ts';
import { projectWithPackage } from '../support/npm.ts';
import { sized } from '../support/tier.ts';

const folder = folderUntil(afterAll);

/** A project that has both packages, so that `npx` downloads nothing. */
beforeAll(async () => {
  await build();
  await projectWithPackage(folder, '@modelcontextprotocol/server');
});

interface Configured {
  readonly command: string;
  readonly args: readonly string[];
}

const CONFIGURATIONS = codeBlocksOf(docPages().find(({ name }) => name === 'mcp.md')!)
  .filter(({ language, code }) => language === 'json' && code.includes('"command"'))
  .map(({ code }) => {
    const { mcpServers, servers } = JSON.parse(code);
    const [[client, server]] = [...Object.entries({ mcpServers, servers })].filter(([, each]) => each) as [
      [string, Record<string, Configured>],
    ];
    return [client, Object.values(server)[0]!] as const;
  });

test('there is one for Claude Desktop and Cursor, and one for VS Code', () => {
  expect(CONFIGURATIONS.map(([client]) => client)).toEqual(['mcpServers', 'servers']);
});

test.each(CONFIGURATIONS.slice(0, sized({ fast: 1, full: 2 })))(
  '%s starts a server with all tools',
  async (_client, { command, args }) => {
    const local = args.map((each) => each.replace(/^(?:\/path\/to|\$\{workspaceFolder\})/, folder));
    const env = { ...process.env, npm_config_offline: 'true', npm_config_loglevel: 'error' };
    const transport = new StdioClientTransport({
      command,
      args: local,
      cwd: folder,
      env: env as Record<string, string>,
    });
    const client = new Client({ name: 'test', version: '1' });
    await client.connect(transport);
    try {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('changes_since');
    } finally {
      await client.close();
    }
  },
);
