/**
 * The faults that `npm run mutate` plants: small mechanical ones, and those that a programmer makes in a change. An operator looks at
 * one token of a compiled module, and says what to write instead of it and of the tokens behind it.
 */
import { createScanner } from 'typescript/unstable/ast/scanner';

/** Operator → the fault that it plants at a token, if it can. */
const OPERATORS = {
  'shifted-border': ({ text, before, flip }) => flip(BORDERS) ?? shiftedNumber(text, before),
  flipped: ({ flip }) => flip(OPPOSITES),
  'ignored-flag': ignoredFlag,
  'older-for-newer': olderForNewer,
  'swapped-dates': swappedDates,
  'length-for-byte-length': lengthForByteLength,
  'dropped-await': ({ text, before, after }) =>
    text === 'await' && after !== 'using' && before !== 'for' ? { replacement: '' } : undefined,
  'swapped-arguments': swappedArguments,
  'skipped-reset': (place) => droppedStatement(place, 'skipped-reset'),
  'not-invalidated': (place) => droppedStatement(place, 'not-invalidated'),
  'dropped-cleanup': (place) => droppedStatement(place, 'dropped-cleanup') ?? deafToAbort(place),
  'dropped-statement': (place) => droppedStatement(place, 'dropped-statement'),
};

export const OPERATOR_NAMES = Object.keys(OPERATORS);

/** All faults that can be planted in a module: { operator, start, end, replacement }. */
export function* faultsIn(source) {
  const tokens = tokensOf(source);
  for (const [at, { text, start }] of tokens.entries()) {
    const place = {
      source,
      tokens,
      at,
      text,
      before: tokens[at - 1]?.text ?? ';',
      after: tokens[at + 1]?.text ?? ';',
      flip: (pairs) => (pairs.has(text) ? { replacement: pairs.get(text) } : undefined),
    };
    for (const [operator, plant] of Object.entries(OPERATORS)) {
      const fault = plant(place);
      if (fault === undefined) continue;
      const { from = start, last = at, replacement } = fault;
      yield { operator, start: from, end: tokens[last].end, replacement };
    }
  }
}

/** Both ways: 'a b' → a for b, and b for a. */
const eachWay = (...pairs) =>
  new Map(
    pairs
      .map((pair) => pair.split(' '))
      .flatMap(([one, other]) => [
        [one, other],
        [other, one],
      ]),
  );
const BORDERS = eachWay('< <=', '> >=');
const OPPOSITES = eachWay('=== !==', '&& ||', '++ --', '+= -=', 'true false');
const ORDERS = eachWay('< >', '<= >=');
const NEWEST = new Map([
  ...eachWay('max min'),
  ...['find', 'findIndex'].map((name) => [name.replace('find', 'findLast'), name]),
  ['lastIndexOf', 'indexOf'],
]);
const DATES = eachWay('oldest newest', 'since until', 'earliest latest', 'modifiedSince modifiedUntil');

function shiftedNumber(text, before) {
  // The index of the last item is another fault.
  if (!/^\d[\d_]*$/.test(text) || before === '-') return undefined;
  return { replacement: String(Number(text.replaceAll('_', '')) + 1) };
}

/** Of two conditions only the first counts. */
function ignoredFlag({ tokens, at, text }) {
  if (text !== '&&' && text !== '||') return undefined;
  const next = endOf(tokens, at + 1, (each) => /^(?:&&|\|\||\?\?|[?:;,)\]}]|\}.*)$/s.test(each));
  return next <= at + 1 ? undefined : { last: next - 1, replacement: `${text} ${text === '&&'}` };
}

/** The first instead of the last, the least instead of the most, the older of two times. */
function olderForNewer({ tokens, at, text, before, after, flip }) {
  if (before === '.' && after === '(') {
    if (text === 'at' && tokens[at + 2]?.text === '-') return { last: at + 3, replacement: 'at(0' };
    return flip(NEWEST);
  }
  if (text === '??=') return { replacement: '=' };
  return /date|time|modified|\bage\b|newest/i.test(`${before} ${after}`) ? flip(ORDERS) : undefined;
}

/** The beginning of a day instead of its end, and the other way round. */
function swappedDates({ tokens, text, before, after, flip }) {
  if (after === '(' && before !== 'function' && /^(?:endOfDate|startOfDay)$/.test(text))
    return { replacement: '((time) => time)' };
  const isOfTwo = before === '.' && after !== '(' && tokens.some((token) => token.text === DATES.get(text));
  return isOfTwo ? flip(DATES) : undefined;
}

/** Characters are counted instead of bytes. */
function lengthForByteLength({ source, tokens, at, text, after }) {
  if (text !== 'Buffer' || after !== '.' || tokens[at + 2]?.text !== 'byteLength') return undefined;
  const close = endOf(tokens, at + 4, (each) => each === ')');
  return { last: close, replacement: `(${source.slice(tokens[at + 4].start, tokens[close].start)}).length` };
}

/** An abort is not noticed. */
function deafToAbort({ text, before, after }) {
  return text === 'onAbort' && after === '(' && before !== 'function'
    ? { replacement: '(() => () => undefined)' }
    : undefined;
}

/** A statement that begins with one of these declares, returns or branches: it cannot be dropped. */
const NOT_DROPPED =
  /^(?:const|let|var|function|class|return|throw|if|else|for|while|do|switch|case|default|break|continue|try|catch|finally|import|export|async|static|get|set|super|yield)$/;
/** Calls that end something: what is forgotten here leaks, or goes on. */
const CLEANUP =
  /^#?(?:close|end|cancel|clearTimeout|destroy|dispose|abort|release|unlink|rm|stop|stopListening|removeEventListener|removeListener|off)$/;
const EMPTY = /^(?:0|-1|''|""|false|\[\]|\{\}|new(?:Set|Map)\(\))$/;

/** A call or an assignment that is a statement, up to its semicolon, if it is one that this operator drops. */
function droppedStatement({ tokens, at, text, before }, operator) {
  if (!/^(?:[;{})]|else)$/.test(before) || !/^[\w$#]+$/.test(text) || NOT_DROPPED.test(text))
    return undefined;
  const last = endOf(tokens, at, (each) => each === ';');
  const inside = tokens.slice(at, last).map((token) => token.text);
  if (last === -1 || inside.length < 3 || inside[1] === ':' || !inside.some((each) => /^\(|=$/.test(each)))
    return undefined;
  const block = blockAround(tokens, at);
  if (block.isClass || operatorOf(inside, block) !== operator) return undefined;
  return { last, replacement: ';' };
}

function operatorOf(inside, { isCleanup }) {
  const called = inside[inside.indexOf('(') - 1];
  if (isCleanup || CLEANUP.test(called)) return 'dropped-cleanup';
  const equals = inside.indexOf('=');
  const value = equals === -1 ? '' : inside.slice(equals + 1).join('');
  if (/^(?:delete|clear)$/.test(called) || /^(?:undefined|null)$/.test(value)) return 'not-invalidated';
  return EMPTY.test(value) ? 'skipped-reset' : 'dropped-statement';
}

/** What the block around a statement is: a class, whose field cannot be dropped, or one that cleans up. */
function blockAround(tokens, at) {
  let open = at - 1;
  for (let depth = 0; open >= 0; open--) {
    const { text } = tokens[open];
    if (/^[)\]}]$/.test(text) || /^\}.*`$/s.test(text)) depth++;
    else if (/^[([{]$/.test(text) || /^`.*\$\{$/s.test(text)) depth--;
    if (depth < 0) break;
  }
  const head = tokens.slice(Math.max(open - 4, 0), Math.max(open, 0)).map(({ text }) => text);
  return {
    isClass: head.at(-1) === 'class' || head.at(-2) === 'class' || head.includes('extends'),
    isCleanup: head.at(-1) === 'finally' || head.slice(-3).join('') === 'return()',
  };
}

/** The first two arguments of a call, exchanged. */
function swappedArguments({ source, tokens, at, text, before }) {
  if (text !== '(' || !/^[\w$#]+$/.test(before) || tokens[at - 2]?.text === 'function') return undefined;
  const comma = endOf(tokens, at + 1, (each) => each === ',');
  const close = endOf(tokens, at + 1, (each) => each === ')');
  if (comma === -1 || close === -1 || comma > close || tokens[close + 1]?.text === '{') return undefined;
  const second = endOf(tokens, comma + 1, (each) => each === ',' || each === ')');
  const [first, other] = [tokens.slice(at + 1, comma), tokens.slice(comma + 1, second)];
  if (second === -1 || first.length === 0 || other.length === 0) return undefined;
  const written = (part) => source.slice(part[0].start, part.at(-1).end);
  return { from: first[0].start, last: second - 1, replacement: `${written(other)}, ${written(first)}` };
}

/** The index of the first token from here on, outside of all brackets that open on the way, that is the end; or -1. */
function endOf(tokens, from, isEnd) {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const { text } = tokens[at];
    if (depth === 0 && isEnd(text)) return at;
    if (/^[([{]$/.test(text) || /^`.*\$\{$/s.test(text)) depth++;
    else if (/^[)\]}]$/.test(text) || /^\}.*`$/s.test(text)) depth--;
    if (depth < 0) return -1;
  }
  return -1;
}

/** The tokens of a module: { text, start, end }. */
function tokensOf(source) {
  const scanner = createScanner(99, true);
  scanner.setText(source);
  const tokens = [];
  const templates = [];
  for (;;) {
    scanner.scan();
    if (scanner.getTokenStart() >= source.length) return tokens;
    let text = scanner.getTokenText();
    // Which of two meanings a character has is the parser's to say: a regular expression, the rest of a template.
    if ((text === '/' || text === '/=') && !/^(?:[\w$#]+|[)\]}]|["'`].*)$/s.test(tokens.at(-1)?.text ?? '')) {
      scanner.reScanSlashToken();
      text = scanner.getTokenText();
    } else if (text === '>') {
      scanner.reScanGreaterToken();
      text = scanner.getTokenText();
    } else if (text === '{') templates.push(false);
    else if (text === '}' && templates.pop()) {
      scanner.reScanTemplateToken(false);
      text = scanner.getTokenText();
    }
    if (/^[`}].*\$\{$/s.test(text)) templates.push(true);
    tokens.push({ text, start: scanner.getTokenStart(), end: scanner.getTokenEnd() });
  }
}
