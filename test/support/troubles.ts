/**
 * Which documents could not be read whole since there was no time for them, as a tree or a stream says it: on a machine
 * that is busy with other work, a server that would respond does not do so within the timeouts.
 */
import type { PageStream, Sitemap } from '../../src/index.ts';

export interface Trouble {
  /** Of the document; of the site, where its robots.txt or homepage came too late. */
  readonly url: string;
  readonly message: string;
}

const LATE: ReadonlySet<string> = new Set(['timeout', 'host-down', 'connection-broke']);

function ofProblems({ url, problems }: Pick<Sitemap, 'url' | 'problems'>): readonly Trouble[] {
  const late = problems.filter(({ code, failure = code }) => LATE.has(failure));
  return late.map(({ message }) => ({ url, message }));
}

function ofInvalid(node: Sitemap): readonly Trouble[] {
  return node.kind === 'invalid' && LATE.has(node.code) ? [{ url: node.url, message: node.reason }] : [];
}

export function troublesOfTree(tree: Sitemap): readonly Trouble[] {
  return [tree, ...tree.allSitemaps()].flatMap((node) => [...ofInvalid(node), ...ofProblems(node)]);
}

export function troublesOfStream(stream: PageStream, url: string): readonly Trouble[] {
  const { problems, invalidSitemaps, incompleteSitemaps } = stream;
  return [
    ...ofProblems({ url, problems }),
    ...invalidSitemaps.flatMap(ofInvalid),
    ...incompleteSitemaps.flatMap(ofProblems),
  ];
}
