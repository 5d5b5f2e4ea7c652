/** The path of an archive, as a caller gives it. */
import { fileURLToPath } from 'node:url';
import { SitemapException } from '../../errors.ts';

/**
 * The path as the file system takes it.
 *
 * @param who - the function that needs it, for the message
 * @throws SitemapException with code `bad-input`
 */
export function pathOf(path: string | URL, who: string): string {
  if (typeof path === 'string' && path !== '') return path;
  if (path instanceof URL && path.protocol === 'file:') return fileURLToPath(path);
  throw new SitemapException(`${who} needs the path of a file, a string or a file: URL.`, {
    code: 'bad-input',
  });
}
