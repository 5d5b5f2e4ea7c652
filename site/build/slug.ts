/**
 * The anchor of a heading, as GitHub makes it: the links between the pages of docs/ are written for both, and
 * test/docs/links.test.ts follows them by this rule.
 */
export function headingAnchor(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
