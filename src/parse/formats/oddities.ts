/** What was odd about a decoded text, as problems of its document. */
import type { ProblemList } from '../../problems/problem-list.ts';
import { Oddity, type TextDecoding } from '../values/text.ts';

/** Turns the oddities that have added up into problems, and clears them. */
export function reportOddities(decoding: TextDecoding, problems: ProblemList, offset: number): void {
  const { oddities } = decoding;
  if (oddities === 0) return;
  decoding.oddities = 0;
  if ((oddities & Oddity.bareAmpersand) !== 0) {
    problems.add('bare-ampersand', 'An "&" that starts no entity was read as a literal "&".', offset);
  }
  if ((oddities & Oddity.controlCharacter) !== 0) {
    problems.add('control-character', 'Control characters were removed from a value.', offset);
  }
  if ((oddities & Oddity.invalidBytes) !== 0) {
    problems.add('invalid-bytes', 'Bytes that are not valid in the charset were read as U+FFFD.', offset);
  }
  if ((oddities & Oddity.entityDropped) !== 0) {
    problems.add(
      'entity-dropped',
      'A reference to an entity that only a DOCTYPE could define was removed.',
      offset,
    );
  }
}
