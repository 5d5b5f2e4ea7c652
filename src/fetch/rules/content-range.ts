/** What is missing from a 206 that was not asked for (RFC 9110 §14.4). Caches and broken range filters send them. */

/** Which part it is, in words; absent where it is the whole document, or the header does not say. */
export function partOf(contentRange: string | null): string | undefined {
  const [, first, last, size] =
    /^\s*bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15})\s*$/i.exec(contentRange ?? '') ?? [];
  if (first === undefined || last === undefined || size === undefined) return undefined;
  const isWhole = Number(first) === 0 && Number(last) + 1 >= Number(size);
  return isWhole ? undefined : `bytes ${first} to ${last} of ${size}`;
}
