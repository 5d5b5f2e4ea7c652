/** The one walk over a tree: depth-first, in the order of declaration. */

interface HasSubSitemaps<Node> {
  readonly subSitemaps: readonly Node[];
}

export interface Place<Node> {
  readonly sitemap: Node;
  /** 0 for the top. */
  readonly depth: number;
  /** The node that lists it; `undefined` for the top. */
  readonly parent: Node | undefined;
  /** Its number among the children of its parent, from 0. */
  readonly index: number;
  /** Whether it is the last child of its parent. */
  readonly isLast: boolean;
}

export function* placesOf<Node extends HasSubSitemaps<Node>>(
  top: Node,
): Generator<Place<Node>, void, undefined> {
  yield { sitemap: top, depth: 0, parent: undefined, index: 0, isLast: true };
  // An explicit stack, since `maxDepth` may be set to anything.
  const open: { readonly parent: Node; next: number }[] = [{ parent: top, next: 0 }];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const { parent } = level;
    const index = level.next++;
    const sitemap = parent.subSitemaps[index];
    if (sitemap === undefined) {
      open.pop();
      continue;
    }
    yield { sitemap, depth: open.length, parent, index, isLast: level.next === parent.subSitemaps.length };
    if (sitemap.subSitemaps.length > 0) open.push({ parent: sitemap, next: 0 });
  }
}

export function* sitemapsBelow<Node extends HasSubSitemaps<Node>>(
  top: HasSubSitemaps<Node>,
): Generator<Node, void, undefined> {
  for (const child of top.subSitemaps) for (const { sitemap } of placesOf(child)) yield sitemap;
}
