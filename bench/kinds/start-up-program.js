/**
 * The program that somebody would write who has a library and no command: lists the pages of a site.
 *
 *     node start-up-program.js sitemapper http://127.0.0.1:8080/
 */
import { argv } from 'node:process';

const [, , contestant, homepage] = argv;
if (contestant !== 'empty') {
  const { site } = await import(`../contestants/${contestant}.js`);
  await site({ homepage }, { page: (url) => console.log(url) });
}
