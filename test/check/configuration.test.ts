/** §12: severities by flag, file and pattern; when a check fails. */
import { describe, expect, test } from 'vitest';
import {
  isFailing,
  parseConfiguration,
  parseRuleSetting,
  severities,
} from '../../src/check/configuration.ts';
import type { Finding } from '../../src/check/finding.ts';
import { RULES } from '../../src/check/rule-table.ts';
import { nearestName } from '../../src/text/wording.ts';

const FINDING: Finding = {
  rule: 'url-fragment',
  severity: 'warning',
  message: 'x',
  document: 'https://example.org/blog/a.xml',
  page: 'https://example.org/shop/1#x',
};

describe('names', () => {
  test.each([
    ['url-fragmnt', 'url-fragment'],
    ['fragment-url', 'url-fragment'],
    ['hreflang_bad_code', 'hreflang-bad-code'],
    ['too-many-images', 'images-too-many'],
    ['NOT-WELL-FORMD', 'not-well-formed'],
  ])('%s: %s is the nearest rule', (written, meant) => {
    expect(nearestName(written, Object.keys(RULES))).toBe(meant);
  });

  test('an unknown rule or severity is refused with the nearest', () => {
    expect(parseRuleSetting('url-fragment=off')).toEqual(['url-fragment', 'off']);
    expect(() => parseRuleSetting('url-fragmnt=off')).toThrow(
      'There is no rule "url-fragmnt"; did you mean "url-fragment"?',
    );
    expect(() => parseRuleSetting('url-fragment=warn')).toThrow('Did you mean "warning"?');
    expect(() => parseRuleSetting('url-fragment')).toThrow('must be NAME=off');
    expect(() => parseRuleSetting('constructor=off')).toThrow('There is no rule "constructor".');
    expect(parseRuleSetting(' url-fragment = off ')).toEqual(['url-fragment', 'off']);
    expect(() => parseRuleSetting('url-fragment=off=info')).toThrow(
      '"url-fragment=off=info": a rule can be off',
    );
    expect(() => parseRuleSetting('foo=off')).toThrow('There is no rule "foo".');
  });
});

describe('a configuration file', () => {
  test.each([
    ['{', 'It is not JSON'],
    ['[]', 'The configuration must be an object'],
    ['{"rule": {}}', '"rule" is unknown in the configuration; did you mean "rules"?'],
    ['{"rules": {"url-fragmnt": "off"}}', 'did you mean "url-fragment"?'],
    ['{"rules": {"url-fragment": 2}}', 'a rule can be off, info, warning or error'],
    ['{"failOn": "errors"}', '"failOn" must be error, warning, info, never, not "errors"'],
    ['{"maxWarnings": -1}', '"maxWarnings" must be a whole number'],
    ['{"agent": ""}', '"agent" must be the name of a crawler'],
    ['{"overrides": {}}', '"overrides" must be a list'],
    ['{"overrides": [{"rules": {}}]}', 'Override 1 needs "match"'],
    ['{"overrides": [{"match": []}]}', 'Override 1 needs "match"'],
    ['{"overrides": [{"match": "/a/"}, {"match": ["/a/", 5]}]}', 'Override 2 needs "match"'],
    ['{"overrides": [{"match": "re:("}]}', 'is not a regular expression'],
    ['{"overrides": [{"match": "/a/", "rule": {}}]}', '"rule" is unknown in override 1'],
  ])('%s is refused', (text, message) => expect(() => parseConfiguration(text)).toThrow(message));

  test.each([
    ['{}', {}],
    ['\ufeff{"maxWarnings": 0}', { maxWarnings: 0 }],
    [
      '{"$schema": "./schema.json", "failOn": "never", "agent": "Bingbot/2.0"}',
      { failOn: 'never', agent: 'Bingbot/2.0' },
    ],
    ['{"failOn": "info", "maxWarnings": 12}', { failOn: 'info', maxWarnings: 12 }],
    ['{"overrides": []}', {}],
  ])('%s is accepted', (text, expected) => {
    const nothing = {
      rules: new Map(),
      overrides: [],
      failOn: undefined,
      maxWarnings: undefined,
      agent: undefined,
    };
    expect(parseConfiguration(text)).toEqual({ ...nothing, ...expected });
  });

  test('every severity can be set, and a hint is about the severity that is written', () => {
    const rules = {
      'url-fragment': 'off',
      'url-repeated': 'info',
      doctype: 'warning',
      'lastmod-future': 'error',
    };
    expect([...parseConfiguration(JSON.stringify({ rules })).rules]).toEqual(Object.entries(rules));
    expect(() => parseConfiguration('{"rules": {"doctype": "eror"}}')).toThrow(
      '"doctype": a rule can be off, info, warning or error. Did you mean "error"?',
    );
  });

  test('sets severities: the command line wins, then the last override that matches, then its rules', () => {
    const configuration = parseConfiguration(`{
      "rules": {"url-fragment": "error"},
      "overrides": [
        {"match": "/blog/", "rules": {"url-fragment": "info"}},
        {"match": ["*/shop/*", "/other/"], "rules": {"url-fragment": "off"}},
        {"match": "/blog/", "rules": {"lastmod-missing": "off"}}
      ],
      "failOn": "warning", "maxWarnings": 3, "agent": "Bingbot"}`);
    const adjust = severities(new Map(), configuration);
    expect(adjust(FINDING)).toBeUndefined();
    expect(adjust({ ...FINDING, page: 'https://example.org/x' })?.severity).toBe('info');
    expect(
      adjust({ ...FINDING, page: 'https://example.org/x', document: 'https://example.org/' })?.severity,
    ).toBe('error');
    expect(severities(new Map([['url-fragment', 'warning']]), configuration)(FINDING)).toBe(FINDING);
    const { page: _page, ...withoutPage } = FINDING;
    expect(adjust(withoutPage)?.severity).toBe('info');
    expect(adjust({ ...FINDING, rule: 'url-repeated' })?.severity).toBe('warning');
    expect(configuration).toMatchObject({ failOn: 'warning', maxWarnings: 3, agent: 'Bingbot' });
  });
});

test.each([
  [{ error: 1, warning: 0, info: 0 }, {}, true],
  [{ error: 0, warning: 9, info: 9 }, {}, false],
  [{ error: 0, warning: 1, info: 0 }, { failOn: 'warning' }, true],
  [{ error: 0, warning: 0, info: 1 }, { failOn: 'warning' }, false],
  [{ error: 0, warning: 0, info: 1 }, { failOn: 'info' }, true],
  [{ error: 9, warning: 9, info: 9 }, { failOn: 'never' }, false],
  [{ error: 0, warning: 3, info: 0 }, { maxWarnings: 2 }, true],
  [{ error: 0, warning: 2, info: 0 }, { maxWarnings: 2 }, false],
  [{ error: 0, warning: 1, info: 0 }, { maxWarnings: 0 }, true],
  [{ error: 0, warning: 0, info: 9 }, { maxWarnings: 0 }, false],
  [{ error: 9, warning: 3, info: 0 }, { failOn: 'never', maxWarnings: 2 }, true],
  [{ error: 1, warning: 2, info: 0 }, { maxWarnings: 2 }, true],
  [{ error: 1, warning: 0, info: 0 }, { failOn: 'warning' }, true],
  [{ error: 1, warning: 0, info: 0 }, { failOn: 'info' }, true],
  [{ error: 0, warning: 1, info: 0 }, { failOn: 'info' }, true],
  [{ error: 0, warning: 0, info: 0 }, { failOn: 'info' }, false],
  [{ error: 0, warning: 1, info: 0 }, { failOn: 'error' }, false],
] as const)('%j with %j: fails %j', (counts, options, expected) => {
  expect(isFailing(counts, options)).toBe(expected);
});
