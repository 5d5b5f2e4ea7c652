/** From the text after an option of `usp diff` to its value: lists of words, separated by commas. */
import { InvalidArgumentError } from 'commander';
import type { ComparedField } from '../../index.ts';
import { CHANGE_TYPES, type ChangeType } from '../render/change-formats.ts';

/** By the names that sitemaps use, and by the library's. */
const FIELDS: ReadonlyMap<string, ComparedField> = new Map([
  ['lastmod', 'lastModified'],
  ['priority', 'priority'],
  ['changefreq', 'changeFrequency'],
  ['news', 'newsStory'],
  ['images', 'images'],
  ['videos', 'videos'],
  ['alternates', 'alternates'],
  ['lastModified', 'lastModified'],
  ['changeFrequency', 'changeFrequency'],
  ['newsStory', 'newsStory'],
]);

/** The kinds of changes of `--only`. */
export function changeTypes(text: string): readonly ChangeType[] {
  return listed(text, new Map(CHANGE_TYPES.map((type) => [type, type])));
}

/** The fields of `--compare`. */
export function comparedFields(text: string): readonly ComparedField[] {
  return listed(text, FIELDS);
}

function listed<Value>(text: string, values: ReadonlyMap<string, Value>): readonly Value[] {
  return text.split(',').map((word) => {
    const value = values.get(word.trim());
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`"${word.trim()}" is not one of ${[...values.keys()].join(', ')}.`);
  });
}
