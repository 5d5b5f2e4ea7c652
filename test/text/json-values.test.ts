/** §16: JSON is read value by value, however its text is divided. */
import { expect, test } from 'vitest';
import { JsonValues } from '../../src/text/json-values.ts';

function valuesOf(text: string, size: number): { values: string[]; isCut: boolean } {
  const reader = new JsonValues();
  const values: string[] = [];
  for (let at = 0; at < text.length; at += size) values.push(...reader.values(text.slice(at, at + size)));
  const { value, isCut } = reader.end();
  return { values: value === undefined ? values : [...values, value], isCut };
}

test.each<[string, string, readonly string[], boolean]>([
  ['a list of objects', ' [ {"a":[1,{}]} ,\n{"b":"]}\\"{"} ]\n', ['{"a":[1,{}]}', '{"b":"]}\\"{"}'], false],
  ['a list of texts and numbers', '["a,b",1 ,null,2]', ['"a,b"', '1', 'null', '2'], false],
  [
    'values that follow each other',
    '{"a":1}\n{\n"b": 2\n}{"c":3} 4',
    ['{"a":1}', '{\n"b": 2\n}', '{"c":3}', '4'],
    false,
  ],
  ['a list in a list is a value', '[[1,2],[]]', ['[1,2]', '[]'], false],
  [
    'a list with line breaks of Windows and tabs',
    '[\r\n\t1,\r\n\t{"a":\t2}\r\n]\r\n',
    ['1', '{"a":\t2}'],
    false,
  ],
  ['numbers, one in each line of Windows', '1\r\n2\t3\r\n', ['1', '2', '3'], false],
  ['a text that ends with a backslash', '["a\\\\","b\\\\\\"]",1]', ['"a\\\\"', '"b\\\\\\"]"', '1'], false],
  ['texts and lists without anything between them', '"a""b"{}"c"', ['"a"', '"b"', '{}', '"c"'], false],
  ['a number before the end of another bracket', '[1},2]', ['1', '}', '2'], false],
  ['a last number', '12', ['12'], false],
  ['a list in an object without its end', '{"a":[1]', ['{"a":[1]'], true],
  ['a text in a list without its end, behind a list', '[1]["a', ['1', '"a'], true],
  ['two lists', '[1]\n[2]', ['1', '2'], false],
  ['an empty list', '[ ]', [], false],
  ['nothing', ' \n', [], false],
  ['what closes nothing', '[1]]} 2', ['1', ']', '}', '2'], false],
  ['what is not JSON', '[{a:1}, oops ,{"b":1}]', ['{a:1}', 'oops', '{"b":1}'], false],
  ['a list without its end', '[{"a":1},', ['{"a":1}'], true],
  ['an object without its end', '[{"a":1},{"b', ['{"a":1}', '{"b'], true],
  ['a text without its end', '"abc\\"', ['"abc\\"'], true],
])('%s', (_what, text, values, isCut) => {
  for (const size of [1, 2, 3, text.length]) expect(valuesOf(text, size)).toEqual({ values, isCut });
});

test('the length that waits is that of the value whose end is missing', () => {
  const reader = new JsonValues();
  const lengths = ['[1, ', '{"a"', ':[2', ']},', ' 34', '5', ',"'].map((piece) => {
    const values = [...reader.values(piece)];
    return [reader.waiting, ...values];
  });
  expect(lengths).toEqual([[0, '1'], [4], [7], [0, '{"a":[2]}'], [2], [3], [1, '345']]);
  expect(reader.end()).toEqual({ value: '"', isCut: true });
});
