/**
 * The rule of settled documents (specification §11.3), which decides what a comparison may claim.
 *
 * A document is settled in a tree if that tree knows all that the document says there:
 *
 * 1. it was read to its end (a stale one only in the earlier tree: it shows what was read at an earlier time),
 * 2. or it responded with 404 or 410,
 * 3. or nothing in the tree declares it, while every index that leads to it in the other tree is settled in this one.
 *
 * Everything else, a failure, a limit, a filter, a path that was not tried, leaves it open what the document says.
 *
 * A document is known by its keys: the URL by which it is declared, and the one that it redirects to. robots.txt and
 * the known paths are tried, not declared, so rule 3 does not apply to them: what was not tried is not settled.
 */

/** Which of the two trees. */
export type Side = 'before' | 'after';

/**
 * What a tree knows of a document. `read`: all of it. `stale`: all that it said at an earlier time. `gone`: 404 or 410.
 * `unread`: not all of it, for whatever reason.
 */
export type DocumentState = 'read' | 'stale' | 'gone' | 'unread';

/** A document of a tree. */
export interface DescribedDocument {
  /** The keys under which the other tree may know it. */
  readonly keys: ReadonlySet<string>;
  /** The numbers of the indexes that declare it. */
  readonly parents: ReadonlySet<number>;
  /** Whether it was tried although nothing declares it, as robots.txt and known paths are. */
  readonly isTried: boolean;
}

/** A tree, as far as the rule is about it. */
export interface TreeDescription {
  readonly side: Side;
  readonly documents: readonly DescribedDocument[];
  /** What is known of each URL that is declared in the tree or was tried, by its key. */
  readonly states: ReadonlyMap<string, DocumentState>;
}

/**
 * Which documents of a tree are settled in the other one, by their numbers.
 *
 * @param tree - the tree whose documents are asked about
 * @param other - the tree in which they are settled or not
 */
export function settledDocuments(tree: TreeDescription, other: TreeDescription): readonly boolean[] {
  const { documents } = tree;
  const known = documents.map(({ keys }) => isSettledThere(keys, other));
  const children: number[][] = documents.map(() => []);
  for (const [number, { parents }] of documents.entries()) {
    for (const parent of parents) children[parent]?.push(number);
  }
  // Rule 3, from the indexes down: whatever only an unsettled index leads to is not settled either. Indexes may list
  // each other, so this follows the documents that are not settled, each once.
  const settled = documents.map(({ isTried }, number) => known[number] ?? !isTried);
  const open = [...settled.keys()].filter((number) => !settled[number]);
  for (let number = open.pop(); number !== undefined; number = open.pop()) {
    for (const child of children[number] ?? []) {
      if (known[child] !== undefined || !settled[child]) continue;
      settled[child] = false;
      open.push(child);
    }
  }
  return settled;
}

/** Rules 1 and 2: whether a document is settled in a tree; undefined where nothing there declares it. */
function isSettledThere(keys: ReadonlySet<string>, { states, side }: TreeDescription): boolean | undefined {
  const found = Array.from(keys, (key) => states.get(key)).filter((state) => state !== undefined);
  // A document may be declared under one key and found under another: if either is open, what it says is open.
  return found.length === 0 ? undefined : found.every((state) => isSettled(state, side));
}

function isSettled(state: DocumentState, side: Side): boolean {
  return state === 'read' || state === 'gone' || (state === 'stale' && side === 'before');
}
