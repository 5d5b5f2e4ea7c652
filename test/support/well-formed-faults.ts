/** What the strict reader says of a document as it is on a disk. */
import { WellFormedReader } from '../../src/check/well-formed.ts';
import { type Fault, messageOf, type ReportFault } from '../../src/check/xml/fault.ts';

const MARK = [0xef, 0xbb, 0xbf];

/** A fault whose message was put into words. */
export interface KeptFault extends Fault {
  readonly message: string;
}

export function keptIn(faults: KeptFault[]): ReportFault {
  return (code, worded, offset, related) => {
    const fault = { code, message: messageOf(worded), offset };
    faults.push(related === undefined ? fault : { ...fault, related });
  };
}

/** The faults of a document in chunks. The reader gets what is behind a byte order mark, as the parser gives it. */
export function wellFormedFaults(chunks: Iterable<Uint8Array>): readonly KeptFault[] {
  const faults: KeptFault[] = [];
  const reader = new WellFormedReader(keptIn(faults));
  const all = [...chunks];
  let left = startsWithMark(all) ? MARK.length : 0;
  for (const chunk of all) {
    reader.write(chunk.subarray(left));
    left = Math.max(0, left - chunk.length);
  }
  reader.end();
  return faults;
}

function startsWithMark(chunks: readonly Uint8Array[]): boolean {
  return MARK.every((byte, at) => Buffer.concat(chunks)[at] === byte);
}
