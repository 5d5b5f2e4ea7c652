/** A text sitemap: one URL a line, and nothing else. */
import { Random } from './random.js';

export function text(seed, entries) {
  const random = new Random(seed);
  const lines = Array.from({ length: entries }, (_, number) => random.pageUrl((seed - 1) * entries + number));
  return `${lines.join('\n')}\n`;
}
