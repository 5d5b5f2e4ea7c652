/** The pages of docs/, and what is in them. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';

/** Where docs/ is. */
export const DOCS: string = join(import.meta.dirname, '../../docs');

/** One page. */
export interface DocPage {
  /** `tree.md` */
  readonly name: string;
  readonly text: string;
}

/** One fenced block of code. */
export interface CodeBlock {
  /** `tree.md:12`: the page and the line that it begins at. */
  readonly where: string;
  /** The first word behind the fence. */
  readonly language: string;
  /** The words after it. */
  readonly flags: readonly string[];
  readonly code: string;
  /** The block of `text` that follows it with nothing but a line of words between: what it prints. */
  readonly output: string | undefined;
}

/** All pages of docs/, in the order of their names. */
export function docPages(): readonly DocPage[] {
  return readdirSync(DOCS)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => ({ name, text: docPage(name) }));
}

/** The README. */
export function readme(): DocPage {
  return { name: 'README.md', text: docPage('../README.md') };
}

/** The text of a page. */
export function docPage(name: string): string {
  return readFileSync(join(DOCS, name), 'utf8');
}

const FENCE = /^```(\w+)([^\n`]*)\n([\s\S]*?)^```$/gm;

/** The fenced blocks of a page. */
export function codeBlocksOf({ name, text }: DocPage): readonly CodeBlock[] {
  const found = [...text.matchAll(FENCE)];
  return found.map((match, index) => {
    const [whole, language = '', flags = '', code = ''] = match;
    const next = found[index + 1];
    const between = text.slice(match.index + whole.length, next?.index).trim();
    const isOutput = next?.[1] === 'text' && !between.includes('\n');
    return {
      where: `${name}:${text.slice(0, match.index).split('\n').length}`,
      language,
      flags: flags.trim().split(/\s+/).filter(Boolean),
      code,
      output: isOutput ? next[3] : undefined,
    };
  });
}

/** A page without its fenced blocks, for what is said in words. */
export function proseOf(text: string): string {
  return text.replace(FENCE, '');
}

/** The rows of every table of a page, each a list of cells; the line of dashes is left out. */
export function tableRows(text: string): readonly (readonly string[])[] {
  return proseOf(text)
    .split('\n')
    .filter((line) => line.startsWith('|') && !/^\|[\s:|-]+\|$/.test(line))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    );
}

/** The page that a script of scripts/ would write now. */
export async function pageWrittenBy(script: string): Promise<string> {
  const root = join(DOCS, '..');
  const { stdout } = await promisify(execFile)(execPath, [join(root, 'scripts', script)], {
    cwd: root,
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}
