/** What a Markdown token has of interest here. */
interface Token {
  readonly type: string;
  readonly content: string;
  tag: string;
}

/**
 * Turns the empty cells in the heads of tables into plain cells: a screen reader announces a header, and there would be
 * nothing to say.
 */
export function emptyHeaders({ tokens }: { readonly tokens: readonly Token[] }): void {
  for (const [index, token] of tokens.entries()) {
    const [text, close] = [tokens[index + 1], tokens[index + 2]];
    if (token.type !== 'th_open' || text?.content !== '' || close === undefined) continue;
    token.tag = 'td';
    close.tag = 'td';
  }
}
