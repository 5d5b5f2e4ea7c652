/**
 * Commands that a hint shows, for users to copy into a shell. Addresses and names of files in them may come from a
 * stranger, and a shell would run what is in them.
 */
export function commandLine(...words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(' ');
}
