/** The tools about what is wrong: `check_site` and `explain_rule`. */
import { ruleNamed } from '../check/configuration.ts';
import { RULES, type RuleName } from '../index.ts';
import type { FoundRules } from '../report/findings.ts';
import { shownUrl } from '../url.ts';
import { type ListArguments, type SiteWorld, stateOf, usingSite } from './site-tools.ts';
import { cut, ResultList, sizeOf, type ToolCall } from './tool-call.ts';

interface CheckArguments extends ListArguments {
  readonly rule?: string;
}

interface CheckQuery {
  readonly url: string;
  readonly rule: RuleName | undefined;
  readonly limit: number;
}

/** Of each rule in a list of rules. */
const EXAMPLES = 3;

/** `check_site`: the summary and what to fix first, or what one rule concerns. */
export async function checkTool(world: SiteWorld, args: CheckArguments, call: ToolCall): Promise<object> {
  const query = (): CheckQuery => {
    const rule = args.rule === undefined ? undefined : ruleNamed(args.rule);
    return { url: shownUrl(args.url ?? ''), rule, limit: args.limit ?? (rule === undefined ? 10 : 200) };
  };
  return usingSite(world, 'check_site', args, call, query, async ({ reading, query, at, cursor }) => {
    const tree = await call.wait(reading.over);
    const state = stateOf(reading, query.url);
    if (tree === undefined) return { ...state, nextCursor: cursor(at[0]) };
    const checked = await call.wait(reading.checked(tree));
    if (checked === undefined) return { ...state, state: 'checking', nextCursor: cursor(at[0]) };
    const { found } = checked;
    const { error, warning, info, documents, pages, complete } = checked.summary;
    const summary = { error, warning, info, documents, pages, complete };
    const rules = found.all;
    const one = rules.find(({ rule }) => rule === query.rule);
    const broken = one === undefined ? [] : [urgent(one)];
    const bytes = world.resultBytes - sizeOf([state, summary, broken]);
    const list = new ResultList<unknown>(args.limit ?? query.limit, bytes);
    const items = query.rule === undefined ? rules.map(urgent) : [...(one?.affected ?? [])];
    const left = items.slice(at[0]).findIndex((item) => !list.add(item));
    const rest = left === -1 ? {} : { nextCursor: cursor(at[0] + left) };
    const listed =
      query.rule === undefined ? { fixFirst: list.items } : { fixFirst: broken, affected: list.items };
    return { ...state, summary, ...listed, ...rest };
  });
}

function urgent({ rule, severity, occurrences, examples }: FoundRules['all'][number]): object {
  const { what, fix } = RULES[rule as RuleName].explanation;
  const shown = examples.slice(0, EXAMPLES).map(({ document, line, column, page, message, count }) => {
    return { document, line, column, page, message: cut(message), count };
  });
  return { rule, severity, occurrences, what, fix, examples: shown };
}

/** `explain_rule` */
export async function explainRule(
  { rule }: { readonly rule?: string },
  resultBytes: number,
): Promise<object> {
  if (rule === undefined) {
    const rules = Object.entries(RULES).map(([name, { severity, explanation }]) => {
      const [what] = explanation.what.split(/(?<=\.) /);
      return { rule: name, severity, what };
    });
    // There is no next page of rules: their names are the list.
    const isShort = sizeOf(rules) > resultBytes;
    return { rules: isShort ? rules.map(({ rule, severity }) => ({ rule, severity })) : rules };
  }
  const name = ruleNamed(rule);
  const { severity, explanation, bad, good, source } = RULES[name];
  return { rule: name, severity, ...explanation, bad, good, source };
}
