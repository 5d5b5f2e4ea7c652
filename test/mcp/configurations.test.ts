/** The configurations of docs/mcp.md start a server that an official client can talk to. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { build, ROOT } from '../support/cli-binary.ts';
import { codeBlocksOf, docPages } from '../support/docs-pages.ts';
import { folderUntil } from '../support/folder.ts';
import { sized } from '../support/tier.ts';

const folder = folderUntil(afterAll);

/** A project that has both packages, so that `npx` downloads nothing. */
beforeAll(async () => {
  await build();
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await mkdir(join(modules, '@modelcontextprotocol'));
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  await symlink(ROOT, join(modules, 'ultimate-sitemap-parser'));
  const server = join('@modelcontextprotocol', 'server');
  await symlink(join(ROOT, 'node_modules', server), join(modules, server));
  await symlink('../ultimate-sitemap-parser/dist/cli/main.js', join(modules, '.bin', 'usp'));
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
