/** The name that was probably meant. */

/** The name that begins so, or the one with the fewest letters to change; undefined for an empty list. */
export function nearestName(written: string, names: Iterable<string>): string | undefined {
  const word = written.toLowerCase().replaceAll('_', '-').slice(0, 100);
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    // The same words in another order are nearer than their letters say.
    const far =
      word !== '' && name.startsWith(word)
        ? 0
        : Math.min(distance(word, name), distance(sorted(word), sorted(name)) + 1);
    if (far < least) {
      least = far;
      nearest = name;
    }
  }
  return nearest;
}

function sorted(name: string): string {
  return name.split('-').sort().join('-');
}

/** How many letters must be changed, added or removed (Levenshtein). */
function distance(from: string, to: string): number {
  let before = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const now = [row];
    for (let column = 1; column <= to.length; column++) {
      const change = from[row - 1] === to[column - 1] ? 0 : 1;
      now.push(Math.min(now[column - 1]! + 1, before[column]! + 1, before[column - 1]! + change));
    }
    before = now;
  }
  return before.at(-1)!;
}
