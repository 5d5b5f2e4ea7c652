/** Items in, text out, bit by bit: what every format of pages, changes, findings and repairs is. */

export interface ItemFormat<Item, Style = void, End = void> {
  /** Written once, before the first item. @default nothing */
  begin?(style: Style): string;
  item(item: Item, style: Style): string;
  /** Written once, behind the last item. @default nothing */
  end?(end: End): string;
}

/**
 * One JSON document, an item a line, and what is known at the end: `{"changes":[…],"counts":{…}}`.
 *
 * @param name - of the list
 * @param atEnd - the other fields
 */
export function jsonDocument<Item, Style, End>(
  name: string,
  json: (item: Item, style: Style) => object,
  atEnd: (end: End) => object,
): Required<ItemFormat<Item, Style, End>> {
  let separator = '\n';
  return {
    begin: () => `{"${name}":[`,
    item(item, style) {
      const text = separator + JSON.stringify(json(item, style));
      separator = ',\n';
      return text;
    },
    end: (end) => `${separator === '\n' ? '' : '\n'}],${JSON.stringify(atEnd(end)).slice(1)}\n`,
  };
}
