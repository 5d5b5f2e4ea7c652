/** What every extension needs of the document it is in. */
import type { ProblemList } from '../../problems/problem-list.ts';
import { readDate } from '../formats/dates.ts';
import type { Locations } from '../formats/locations.ts';
import { parseNumber } from '../values/number.ts';

/** Reads the values of one document, with a problem for each that is not valid. */
export class ExtensionContext {
  readonly problems: ProblemList;
  readonly locations: Locations;

  constructor(problems: ProblemList, locations: Locations) {
    this.problems = problems;
    this.locations = locations;
  }

  /** A URL, or undefined with a problem. */
  url(text: string, offset: number): string | undefined {
    return text === '' ? undefined : this.locations.read(text, offset);
  }

  /** A date in milliseconds, or undefined with a problem. */
  date(text: string, offset: number): number | undefined {
    if (text === '') return undefined;
    const time = readDate(text, offset, this.problems);
    return Number.isNaN(time) ? undefined : time;
  }

  /** A number between two bounds, or undefined with a problem. */
  number(text: string, name: string, lowest: number, highest: number, offset: number): number | undefined {
    if (text === '') return undefined;
    const value = parseNumber(text);
    if (value >= lowest && value <= highest) return value;
    this.problems.add('bad-number', `"${text.slice(0, 100)}" is not a ${name}; it was left out.`, offset);
    return undefined;
  }
}

/** A comma-separated list without its empty parts. */
export function splitList(text: string): readonly string[] {
  return Object.freeze(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );
}
