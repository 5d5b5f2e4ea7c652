/**
 * The roles that tags have in a format, and what a start tag does to what is open: the table that the entry scanner
 * recovers structure with.
 */

/** What a tag is for. */
export type TagRole = 'root' | 'entry' | 'other-entry' | 'group' | 'value' | 'empty';

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
/** One of the values of {@link OpenRole}. */
export type OpenRole = (typeof OpenRole)[keyof typeof OpenRole];

/** What a start tag does. */
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
  /** The same; unless it is inside a value that is still blank: `<loc><url>…</url></loc>`. */
  endEntryOrWrap: 5,
} as const;
/** One of the values of {@link Effect}. */
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

/** What a start tag of a role does, by what is open innermost. */
export function effectsOf(role: TagRole): readonly Effect[] {
  return EFFECTS[role];
}
