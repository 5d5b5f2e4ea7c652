/** What a format tells the entry scanner: its tags, what each is for, and what to do with what is found. */
import type { Attributes } from './attributes.ts';
import type { Scanner } from './scanner.ts';
import type { Vocabulary } from './tag-names.ts';
import type { Value } from './value.ts';

type TagRole = 'root' | 'entry' | 'other-entry' | 'group' | 'value' | 'empty';

/**
 * What can be open inside (or behind) a root. A `locEntry` has no tag of its own: a loc outside of any entry began
 * it.
 */
export const OpenRole = {
  nothing: 0,
  entry: 1,
  locEntry: 2,
  group: 3,
  value: 4,
  otherEntry: 5,
  script: 6,
} as const;
export type OpenRole = (typeof OpenRole)[keyof typeof OpenRole];

export const Effect = {
  /** Nothing: it means nothing here. */
  none: 0,
  /** It begins inside of what is open. */
  begin: 1,
  /** It begins an entry of its own, if it is a loc. */
  beginLocEntry: 2,
  /** It ends the value, and begins; unless it is that value's own tag, written twice. */
  endValue: 3,
  /** It ends the entry and all that is in it, and begins. */
  endEntry: 4,
  /** Like `endEntry`, unless it is inside a value that is still blank: `<loc><url>…</url></loc>`. */
  endEntryOrWrap: 5,
} as const;
export type Effect = (typeof Effect)[keyof typeof Effect];

const { none, begin, beginLocEntry, endValue, endEntry, endEntryOrWrap } = Effect;

// biome-ignore format: a table, one column for each OpenRole
const EFFECTS: Readonly<Record<TagRole, readonly Effect[]>> = {
  //             nothing        entry     locEntry  group     value           otherEntry  script
  'root':        [begin,         endEntry, endEntry, endEntry, endEntry,       endEntry,   none],
  'entry':       [begin,         endEntry, endEntry, endEntry, endEntryOrWrap, endEntry,   none],
  'other-entry': [begin,         endEntry, endEntry, endEntry, endEntryOrWrap, endEntry,   none],
  'group':       [none,          begin,    begin,    begin,    endValue,       none,       none],
  'value':       [beginLocEntry, begin,    begin,    begin,    endValue,       none,       none],
  'empty':       [none,          begin,    begin,    begin,    begin,          none,       none],
};

/** The tags of a format: `{'sitemap:loc': 'value'}`. */
export type TagRoles = Readonly<Record<string, TagRole>>;

/** `tagsOf('sitemap', {value: 'loc lastmod'})`: names of one vocabulary by what each is for. */
export function tagsOf(vocabulary: Vocabulary, names: Partial<Record<TagRole, string>>): TagRoles {
  const roles = Object.entries(names) as [TagRole, string][];
  return Object.fromEntries(
    roles.flatMap(([role, list]) => list.split(' ').map((name) => [`${vocabulary}:${name}`, role])),
  );
}

export class TagSet {
  readonly numbers: Readonly<Record<string, number>>;
  readonly names: readonly string[];
  readonly roles: readonly (TagRole | undefined)[];
  /** What a start tag does, by its number and by what is open. */
  readonly effects: readonly (readonly Effect[])[];

  constructor(roles: TagRoles) {
    this.names = ['', ...Object.keys(roles)];
    this.roles = [undefined, ...Object.values(roles)];
    this.effects = [[], ...Object.values(roles).map((role) => EFFECTS[role])];
    this.numbers = Object.fromEntries(this.names.map((name, number) => [name, number]));
  }

  /** The number of a tag, for a constant. */
  number(name: string): number {
    const number = this.numbers[name];
    if (number === undefined) throw new TypeError(`The format has no tag ${name}`);
    return number;
  }
}

export interface EntryFormat {
  readonly tags: TagSet;
  /** The vocabulary of names without a namespace. */
  readonly home: Vocabulary;
  /** The tag that makes an entry: its address. May be outside of one. 0 where the format has no such tag. */
  readonly locTag: number;
  /**
   * Reads whole entries that are written as nearly all are, straight from bytes, while nothing is open but the
   * root; returns where the first begins that is not. For formats of which there are documents of millions of
   * entries.
   */
  plainEntries?(scanner: Scanner, at: number): number;
  /** The root that detection has found. */
  root?(attributes: Attributes): void;
  startEntry(): void;
  /** An entry, or a tag of one, that has attributes, before its value. */
  attributes?(tag: number, attributes: Attributes, offset: number): void;
  /** The format must read the value now; afterwards it is gone. */
  value(tag: number, value: Value): void;
  /** A tag of the entry was closed: what came at a higher {@link Value.level} than its own was inside of it. */
  leaveTag?(level: number): void;
  startGroup?(tag: number): void;
  endGroup?(tag: number, offset: number): void;
  /** The text in the entry outside of its tags, if that is more than white space. */
  ownText?(value: Value): void;
  /** The entry is complete; `offset` is where it ends. */
  endEntry(offset: number): void;
  /** Whether an entry that the document ends in is handed on: that of an index whose address is complete. */
  readonly keepsCutEntry?: boolean;
  /** The document ended inside the entry. */
  cutEntry(offset: number): void;
}

/** The facts about the part before the root, which detection has read. */
export interface Prolog {
  /** Where the root, or the first entry of a list without one, begins. */
  readonly rootOffset: number;
  readonly hasRoot: boolean;
  readonly hasDoctype: boolean;
  /** Whether the root is inside an HTML page: then the closing tags behind it are not junk. */
  readonly isInsideHtml: boolean;
}
