/** What the commands do; passed in, so that each is loaded only when it is used. */
export interface Actions {
  ls(urls: readonly URL[], options: object): Promise<void>;
  parse(file: string, options: object): Promise<void>;
  load(file: string, options: object): Promise<void>;
  diff(files: readonly [string, string], options: object): Promise<void>;
  report(site: string, options: object): Promise<void>;
  crawl(sites: string, options: object): Promise<void>;
  check(inputs: readonly string[], options: object): Promise<void>;
  rules(names: readonly string[]): Promise<void>;
  worker(options: object): Promise<void>;
  update(target: readonly [string, URL | undefined], options: object): Promise<void>;
  completion(shell: string): Promise<void>;
}
