/** From the text behind an option to its value; what is not one is said in commander's words, before anything starts. */
import { InvalidArgumentError } from 'commander';
import { proxyUrl } from '../../options/proxy.ts';
import { isConnectionHeader } from '../../options/rules.ts';
import { type Pattern, parsePattern } from '../filter/patterns.ts';
import { parseWhen } from '../filter/since.ts';
import { UsageError } from '../messages/failure.ts';
import { parseAddress } from './address.ts';

/** A whole number from `least` on; `50,000` and `50_000` are read too. */
export function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const digits = text.replaceAll(/[_,](?=\d{3})/g, '');
    const value = Number(digits);
    if (/^\d+$/.test(digits) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`It must be a whole number, ${least} or more.`);
  };
}

/** Seconds, with a fraction if need be. */
export function seconds(least: 'zero' | 'more'): (text: string) => number {
  return (text) => {
    const value = Number(text);
    // Below a millisecond nothing is waited for.
    if (/^\d*\.?\d+$/.test(text) && (least === 'zero' || value >= 0.001)) return value;
    throw new InvalidArgumentError(`It must be a number of seconds${least === 'zero' ? '' : ' above zero'}.`);
  };
}

/** Collects what an option is given several times. */
export function patterns(text: string, before: readonly Pattern[] = []): readonly Pattern[] {
  return [...before, parsePattern(text)];
}

/** The sites of `usp ls`: a mistake is told before the library is even loaded. */
export function addresses(text: string, before: readonly URL[] = []): readonly URL[] {
  return [...before, parseAddress(text)];
}

export function since(text: string): number {
  return parseWhen(text, Date.now());
}

export function paths(text: string, before: readonly string[] = []): readonly string[] {
  if (text === '') throw new InvalidArgumentError('It must be a path, such as sitemaps/main.xml.');
  return [...before, text];
}

/** `Name: value`, as often as one likes. What is wrong with it is said without it, since headers carry secrets. */
export function headers(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined || /[\r\n\0]/.test(value)) {
    throw new UsageError("-H needs 'Name: value', in one line.", { hint: "as -H 'Accept-Language: de'" });
  }
  if (isConnectionHeader(name)) throw new UsageError(`-H cannot set ${name}: it belongs to the connection.`);
  return { ...before, [name]: value };
}

export function proxy(text: string): string | false {
  if (text === 'none') return false;
  if (proxyUrl(text) !== undefined) return text;
  throw new InvalidArgumentError("It must be an http:, https: or socks5: URL, or 'none'.");
}
