/** No library at all: a text sitemap cut at its line ends. What is left to do is the floor. */
import { versions } from 'node:process';

export const name = 'String.split in Node';
export const version = versions.node;

export function pages({ documents }, reader) {
  for (const document of documents) {
    for (const line of new TextDecoder().decode(document).split('\n')) {
      if (line !== '') reader.page(line, undefined, 0.5, undefined);
    }
  }
}
