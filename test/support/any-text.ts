/**
 * Any text and any URL, for random tests. `fc.string({ unit: 'binary' })` and `fc.webUrl()` make a table of all 1.1
 * million characters first: two seconds of CPU in each process, and 100 MB that every collection looks through from
 * then on.
 */
import fc from 'fast-check';

const SURROGATES = { start: 0xd800, count: 0x800 };

/** Any character; half of a pair is not one. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES.count })
  .map((number) => String.fromCodePoint(number < SURROGATES.start ? number : number + SURROGATES.count));

const UNRESERVED = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@";

const inPath = fc.string({
  unit: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...UNRESERVED) },
    { weight: 1, arbitrary: anyCharacter.map(percentEncoded) },
  ),
});

function percentEncoded(character: string): string {
  const encoded = encodeURIComponent(character);
  return encoded === character ? `%${character.charCodeAt(0).toString(16)}` : encoded;
}

/** URLs of http and https, with what a query and a fragment may have. */
export const webUrls: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.domain(),
    fc.array(inPath, { maxLength: 5 }),
    fc.option(inPath),
    fc.option(inPath),
  )
  .map(([scheme, host, path, query, fragment]) =>
    [
      `${scheme}://${host}`,
      ...path.map((segment) => `/${segment}`),
      query === null ? '' : `?${query}`,
      fragment === null ? '' : `#${fragment}`,
    ].join(''),
  );
