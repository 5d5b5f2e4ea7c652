/** What a 206 that nobody asked for has left out (RFC 9110 §14.4). Caches and broken range filters send such. */

/** Which part it is, in words; absent where it is all there is, or nobody says. */
export function partOf(contentRange: string | null): string | undefined {
  const [, first, last, size] =
    /^\s*bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15})\s*$/i.exec(contentRange ?? '') ?? [];
  if (first === undefined || last === undefined || size === undefined) return undefined;
  const isWhole = Number(first) === 0 && Number(last) + 1 >= Number(size);
  return isWhole ? undefined : `bytes ${first} to ${last} of ${size}`;
}
