/** The arguments of a script. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * Reads the arguments of this process as parseArgs does. With `--help` it prints the comment at the top of the script and ends;
 * an argument that the script does not have ends it with a sentence.
 *
 * @param script - import.meta.url of the script
 */
export function readArguments(script, config) {
  let read;
  try {
    read = parseArgs({ ...config, options: { ...config.options, help: { type: 'boolean', short: 'h' } } });
  } catch (error) {
    console.error(`${error.message.split('. ')[0]}. See --help.`);
    process.exit(2);
  }
  if (read.values.help) {
    const [, comment = ''] = /\/\*\*\n(.*?)\n \*\//s.exec(readFileSync(new URL(script), 'utf8')) ?? [];
    console.log(comment.replaceAll(/^ \* ?/gm, ''));
    process.exit(0);
  }
  return read;
}
