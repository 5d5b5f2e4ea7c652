/** What the commands do with their argument; passed in, so that each is loaded only when it is used. */
export type Actions = Readonly<
  Record<
    'ls' | 'parse' | 'load' | 'diff' | 'report' | 'crawl' | 'check' | 'worker' | 'update',
    (argument: unknown, options: object) => Promise<void>
  >
> & {
  rules(names: readonly string[]): Promise<void>;
  completion(shell: string): Promise<void>;
};
