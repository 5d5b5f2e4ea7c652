/**
 * Which proxy, if any, a URL goes through: the `proxy` option, else the environment as curl reads it, in
 * either case of the names.
 *
 * @packageDocumentation
 */

export type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy for a URL, or `undefined` for a direct connection. */
export type ProxyFor = (url: URL) => URL | undefined;

/**
 * @param proxy - the option: a URL for everything, `false` for none, `undefined` for the environment's
 */
export function proxyChooser(proxy: string | URL | false | undefined, environment: Environment): ProxyFor {
  if (proxy === false) return () => undefined;
  if (proxy !== undefined) {
    const fixed = new URL(String(proxy));
    return () => fixed;
  }
  const named = (name: string): string | undefined =>
    environment[name.toLowerCase()] || environment[name.toUpperCase()] || undefined;
  const all = proxyUrl(named('all_proxy'));
  const http = proxyUrl(named('http_proxy')) ?? all;
  const https = proxyUrl(named('https_proxy')) ?? all;
  const isExempt = exemptions(named('no_proxy') ?? '');
  return (url) => (isExempt(url) ? undefined : url.protocol === 'https:' ? https : http);
}

/** `proxy.example:3128` without a scheme is common, and means http. */
function proxyUrl(value: string | undefined): URL | undefined {
  if (value === undefined) return undefined;
  const text = value.includes('://') ? value : `http://${value}`;
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** NO_PROXY: names with their subdomains, a leading `.` or `*.` allowed, `host:port`, or `*` for everything. */
function exemptions(noProxy: string): (url: URL) => boolean {
  const entries = noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [, host = entry, port] = /^(\[.*\]|[^:]+):(\d+)$/.exec(entry) ?? [];
      return { host: host.replace(/^\*?\./, '').replace(/^\[|\]$/g, ''), port };
    });
  return (url) => {
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return entries.some(
      (entry) =>
        entry.host === '*' ||
        ((entry.port === undefined || entry.port === port) &&
          (host === entry.host || host.endsWith(`.${entry.host}`))),
    );
  };
}

/** The value of Proxy-Authorization for a proxy URL with user and password. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '' && proxy.password === '') return undefined;
  const { user, password } = proxyCredentials(proxy);
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** User and password of a proxy URL, unescaped. */
export function proxyCredentials(proxy: URL): { readonly user: string; readonly password: string } {
  return { user: unescaped(proxy.username), password: unescaped(proxy.password) };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
