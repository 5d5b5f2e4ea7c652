/** What the tools take, in the words of their refusals: each argument with its type and its limits. */
import { describe, expect, test } from 'vitest';
import { TOOLS, type ToolName, wrongArgument } from '../../src/mcp/tool-schemas.ts';

const URL_TEXT = 'string of at most 8,192 characters, not empty';
const SHORT = 'string of at most 100 characters';
const PATTERNS = 'array of at most 50 strings, none of them empty';
const HOSTS = 'one of any, same, subdomains';

const ACCEPTED: Readonly<Record<ToolName, Readonly<Record<string, string>>>> = {
  find_sitemaps: { url: URL_TEXT, limit: 'integer from 1 to 1,000', cursor: SHORT },
  list_pages: {
    ...{ url: URL_TEXT, include: PATTERNS, exclude: PATTERNS, hosts: HOSTS },
    ...{ sitemapInclude: PATTERNS, sitemapExclude: PATTERNS, since: SHORT, until: SHORT },
    ...{ undated: 'one of keep, drop', unique: 'boolean', listAlternates: 'boolean' },
    ...{ sample: 'integer from 1 to 10,000', agent: SHORT, onlyAllowed: 'boolean', details: 'boolean' },
    ...{ limit: 'integer from 1 to 2,000', cursor: SHORT },
  },
  changes_since: {
    ...{ url: URL_TEXT, token: SHORT, include: PATTERNS, exclude: PATTERNS, hosts: HOSTS },
    ...{ agent: SHORT, onlyAllowed: 'boolean', limit: 'integer from 1 to 2,000' },
  },
  read_sitemap: {
    ...{ url: URL_TEXT, text: 'string of at most 4,000,000 characters, not empty', details: 'boolean' },
    ...{ limit: 'integer from 1 to 2,000', cursor: SHORT },
  },
  check_site: { url: URL_TEXT, rule: SHORT, limit: 'integer from 1 to 1,000', cursor: SHORT },
  explain_rule: { rule: SHORT, cursor: SHORT },
};

const propertiesOf = (tool: ToolName): Record<string, Record<string, unknown>> =>
  Object(TOOLS[tool].inputSchema['properties']);

describe.each(Object.entries(ACCEPTED))('%s', (name, expected) => {
  const tool = name as ToolName;

  test('takes its arguments within their limits, and says them', () => {
    const properties = propertiesOf(tool);
    const found = Object.keys(properties).map((argument) => {
      const text = wrongArgument(tool, argument, 1);
      const start = `${tool} does not take 1 as ${argument}. ${argument} (`;
      const end = `): ${properties[argument]?.['description']}.`;
      expect([text.slice(0, start.length), text.slice(-end.length)]).toEqual([start, end]);
      return [argument, text.slice(start.length, -end.length)];
    });
    expect(Object.fromEntries(found)).toEqual(expected);
  });

  test('needs no other argument than it says, and takes no unknown one', () => {
    const { inputSchema } = TOOLS[tool];
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
    expect(inputSchema['required']).toEqual(tool === 'changes_since' ? ['url'] : []);
    const { limit } = propertiesOf(tool);
    const byDefault = { find_sitemaps: 100, check_site: 10, explain_rule: undefined }[name] ?? 200;
    expect(limit?.['default']).toBe(limit === undefined ? undefined : byDefault);
  });
});

test.each<[string, unknown, string]>([
  ['is missing', undefined, 'changes_since needs url. '],
  ['is nothing', null, 'changes_since does not take null as url. '],
  ['is empty', '', 'changes_since does not take "" as url. '],
  ['is long', 'x'.repeat(500), `changes_since does not take "${'x'.repeat(99)}… as url. `],
  ['is a list', ['a', 1], 'changes_since does not take ["a",1] as url. '],
])('a url that %s', (_, value, beginning) => {
  const text = wrongArgument('changes_since', 'url', value);
  expect(text.slice(0, beginning.length)).toBe(beginning);
});

test('a pattern has from one to 1,000 characters', () => {
  for (const argument of ['include', 'exclude', 'sitemapInclude', 'sitemapExclude'])
    expect(propertiesOf('list_pages')[argument]).toMatchObject({
      items: { type: 'string', minLength: 1, maxLength: 1000 },
      maxItems: 50,
    });
});
