/** The name that was probably meant. */

/** The name with the fewest letters to change; undefined for an empty list. */
export function nearestName(written: string, names: Iterable<string>): string | undefined {
  const word = written.toLowerCase().replaceAll('_', '-').slice(0, 100);
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    // Words in another order, or a part of the name, are nearer than their letters say.
    const shares = name.split('-').filter((part) => word.split('-').includes(part)).length;
    const far = distance(word, name) - shares * 2;
    if (far < least) {
      least = far;
      nearest = name;
    }
  }
  return nearest;
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
