/** Proxies as Debian packages them, on loopback: squid and tinyproxy for HTTP, microsocks for SOCKS5. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AtEnd } from './folder.ts';
import { type RealServer, startRealServer } from './real-servers.ts';

interface RealProxyOptions {
  /** Insist on the user `user` and the password `right`. */
  readonly withPassword?: boolean;
  /** @default when the test ends */
  readonly atEnd?: AtEnd;
}

/** This domain is refused by the rules of squid and tinyproxy. */
export const BLOCKED = 'blocked.test';

/** `user:right`, as Apache's htpasswd writes it. */
const PASSWORDS = 'user:$apr1$usptests$mxxeToughDfdOenVj51Qb0\n';
const NCSA = '/usr/lib/squid/basic_ncsa_auth';

function startSquid({ withPassword = false, atEnd }: RealProxyOptions = {}): Promise<RealServer> {
  return startRealServer({
    program: 'squid',
    atEnd,
    configure({ folder, port }) {
      // Its configuration has no way to write a path with a space, so paths are relative.
      const file = (name: string, content: string): string => {
        writeFileSync(join(folder, name), content);
        return name;
      };
      const hosts = file('hosts', `127.0.0.1 localhost site.test ${BLOCKED}\n`);
      const access = withPassword
        ? [
            `auth_param basic program ${NCSA} ${file('passwords', PASSWORDS)}`,
            'acl known proxy_auth REQUIRED',
            'http_access allow known',
          ]
        : [`acl blocked dstdomain ${BLOCKED}`, 'http_access deny blocked', 'http_access allow all'];
      const lines = [
        `http_port 127.0.0.1:${port}`,
        `hosts_file ${hosts}`,
        ...access,
        'http_access deny all',
        'pid_filename none',
        'access_log none',
        'cache_log /dev/null',
        'cache_store_log none',
        'cache deny all',
        'pinger_enable off',
        'shutdown_lifetime 0 seconds',
        'coredump_dir .',
        // A test must not wait for the name servers of the machine.
        'dns_nameservers 127.0.0.1',
        'dns_timeout 1 second',
        'connect_timeout 3 seconds',
      ];
      return ['-N', '-f', file('squid.conf', `${lines.join('\n')}\n`)];
    },
  });
}

function startTinyproxy({ withPassword = false, atEnd }: RealProxyOptions = {}): Promise<RealServer> {
  return startRealServer({
    program: 'tinyproxy',
    atEnd,
    configure({ folder, port }) {
      const filter = join(folder, 'filter');
      writeFileSync(filter, `${BLOCKED.replace('.', '\\.')}\n`);
      const lines = [
        `Port ${port}`,
        'Listen 127.0.0.1',
        'Allow 127.0.0.1',
        'Timeout 60',
        'MaxClients 100',
        `Filter "${filter}"`,
        'LogLevel Error',
        ...(withPassword ? ['BasicAuth user right'] : []),
      ];
      writeFileSync(join(folder, 'tinyproxy.conf'), `${lines.join('\n')}\n`);
      return ['-d', '-c', join(folder, 'tinyproxy.conf')];
    },
  });
}

function startMicrosocks({ withPassword = false, atEnd }: RealProxyOptions = {}): Promise<RealServer> {
  return startRealServer({
    program: 'microsocks',
    atEnd,
    configure: ({ port }) => [
      '-i',
      '127.0.0.1',
      '-p',
      String(port),
      ...(withPassword ? ['-u', 'user', '-P', 'right'] : []),
    ],
  });
}

interface RealProxy {
  readonly scheme: 'http' | 'socks5';
  start(options?: RealProxyOptions): Promise<RealServer>;
}

export const PROXIES: Readonly<Record<'squid' | 'tinyproxy' | 'microsocks', RealProxy>> = {
  squid: { scheme: 'http', start: startSquid },
  tinyproxy: { scheme: 'http', start: startTinyproxy },
  microsocks: { scheme: 'socks5', start: startMicrosocks },
};
