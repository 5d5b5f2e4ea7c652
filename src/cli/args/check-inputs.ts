/** What the arguments of `usp check` are: a URL, stdin, or a file. */
import { statSync } from 'node:fs';
import { fileTrouble } from '../../runtime/files.ts';
import { UsageError } from '../messages/failure.ts';
import { parseAddress } from './address.ts';

/** One argument. */
export type CheckInput =
  | { readonly type: 'site'; readonly url: URL }
  | { readonly type: 'stdin' }
  /** `isRegular`: not a pipe or a device, which can be read once. */
  | { readonly type: 'file'; readonly path: string; readonly isRegular: boolean };

/** A path, or a file's name: no host ends like this. */
const PATH = /^(?:\.{0,2}\/|[a-z]:[\\/]|~)|\\|\.(?:xml|txt|gz|warc|rss|atom|html?|json|csv)$/i;

/** @throws UsageError for what is neither a file that is there nor a URL */
export function checkInput(text: string): CheckInput {
  if (text === '-') return { type: 'stdin' };
  if (/^https?:\/\//i.test(text)) return { type: 'site', url: parseAddress(text) };
  try {
    const found = statSync(text);
    if (!found.isDirectory()) return { type: 'file', path: text, isRegular: found.isFile() };
    throw new UsageError(`${text} is a folder; name the files in it.`, { hint: `usp check ${text}/*.xml` });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (PATH.test(text))
      throw new UsageError(`${text} cannot be read: ${fileTrouble(error)}.`, { cause: error });
  }
  return { type: 'site', url: parseAddress(text) };
}
