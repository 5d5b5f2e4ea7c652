/** How tags do not fit each other, in words. */
import { textOf } from './characters.ts';
import type { Elements } from './elements.ts';
import { quoted, type Report, shown } from './fault.ts';
import type { TagEnd } from './tag.ts';

/** What the rest of the document is missing where it ends: inside one of these, or inside elements. */
export type Section = 'comment' | 'cdata' | 'instruction';

const SECTIONS: Readonly<Record<Section, string>> = {
  comment: 'a comment',
  cdata: 'CDATA',
  instruction: 'an instruction',
};

/** A closing tag that does not close the innermost element. @returns the level that it closes; -1 for none */
export function reportMismatch(report: Report, elements: Elements, name: string, offset: number): number {
  const level = elements.levelOf(name);
  const inner = elements.depth - 1;
  if (level === -1) {
    const open = inner < 0 ? '' : `: <${elements.nameAt(inner)}> is open here`;
    const related = inner < 0 ? undefined : elements.offsetAt(inner);
    report('mis-nested-tag', `</${shown(name)}> closes nothing${open}.`, offset, related);
    return level;
  }
  const message = `</${shown(name)}> comes before the closing tag of <${shown(elements.nameAt(inner))}>.`;
  report('unclosed-tag', message, offset, elements.offsetAt(inner));
  return level;
}

/** A start tag that another tag cuts short. @param base - the offset of the byte that has index 0 */
export function reportCut(report: Report, name: string, at: number, cut: TagEnd, base: number): void {
  if (cut.isInValue) {
    const message = `A value in the tag <${name}> has a "<" or no closing quote: write "&lt;", or close it.`;
    report('less-than-in-attribute', message, base + cut.at);
  } else report('tag-cut-short', `The tag <${name}> has no ">" before the next "<".`, base + at);
}

/** A tag that the end of the document cuts off. */
export function reportUnfinishedTag(
  report: Report,
  bytes: Uint8Array,
  at: number,
  end: number,
  base: number,
): void {
  const tag = quoted(textOf(bytes, at, Math.min(end, at + 100)));
  report('truncated', `The document ends inside the tag ${tag}.`, base + at);
}

/** The document ends here, inside a section or inside elements. */
export function reportUnfinished(
  report: Report,
  elements: Elements,
  section: Section | undefined,
  offset: number,
): void {
  const inner = elements.depth - 1;
  if (section !== undefined) report('truncated', `The document ends inside ${SECTIONS[section]}.`, offset);
  else {
    const name = shown(elements.nameAt(inner));
    report('truncated', `The document ends before </${name}>.`, offset, elements.offsetAt(inner));
  }
}
