/** Numbers, sizes and times as people read them: the report has the same. */
export { bytes, count, elapsed, list, number, pagesInWords } from '../../wording.ts';
