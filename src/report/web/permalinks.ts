/**
 * Every state has an address: `#rule-url-repeated` for what is folded open, `#dates=2024-05` for a chart,
 * `#sitemaps=blog` for a search.
 */

/** Shows a state: a place in a chart, a text that is searched for. */
export type Show = (state: string) => void;

export type Place = readonly [name: string, show: Show];

/** Follows the address, and keeps it up to date. */
export function watchAddress(places: ReadonlyMap<string, Show>): void {
  const follow = (): void => {
    const [, name = '', state = ''] = /^#(\w+)=(.*)$/s.exec(location.hash) ?? [];
    const show = places.get(name);
    if (show !== undefined) show(decoded(state));
    else unfold(decoded(location.hash.slice(1)));
  };
  addEventListener('hashchange', follow);
  follow();
  for (const details of document.querySelectorAll<HTMLDetailsElement>('details[id]')) {
    details.querySelector('summary')?.addEventListener('click', () => {
      // It is not open yet.
      if (!details.open) remember(`#${details.id}`);
    });
  }
}

/** Puts a state into the address without a step in the history. */
export function remember(hash: string): void {
  history.replaceState(null, '', hash);
}

function unfold(id: string): void {
  const target = id === '' ? null : document.getElementById(id);
  for (let at: Element | null = target; at !== null; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
  target?.scrollIntoView();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
