/** What is wrong with a decoded text, as problems of its document. */
import type { ProblemList } from '../../problems/problem-list.ts';
import { type TextDecoding, TextProblem } from '../values/text.ts';

/** Reports the problems that have added up, and clears them. */
export function reportTextProblems(decoding: TextDecoding, list: ProblemList, offset: number): void {
  const { problems } = decoding;
  if (problems === 0) return;
  decoding.problems = 0;
  if ((problems & TextProblem.bareAmpersand) !== 0) {
    list.add('bare-ampersand', 'An "&" that starts no entity was read as a literal "&".', offset);
  }
  if ((problems & TextProblem.controlCharacter) !== 0) {
    list.add('control-character', 'Control characters were removed from a value.', offset);
  }
  if ((problems & TextProblem.invalidBytes) !== 0) {
    list.add('invalid-bytes', 'Bytes that are not valid in the charset were read as U+FFFD.', offset);
  }
  if ((problems & TextProblem.entityDropped) !== 0) {
    list.add(
      'entity-dropped',
      'A reference to an entity that only a DOCTYPE could define was removed.',
      offset,
    );
  }
}
