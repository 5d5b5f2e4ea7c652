/** Which limit ended a call before everything was fetched. */
export interface Stopped {
  /** The option that set it: `maxSitemaps`, `maxTimeMs` or `maxPages`. */
  readonly limit: string;
  readonly message: string;
}
