/** nginx on loopback, with a site of files and the configuration that a test needs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type RealServer, startRealServer, temporaryFolder } from './real-servers.ts';

export interface NginxSite {
  /** Directives of the `http` block. */
  readonly http?: string;
  /** Directives of the `server` block. */
  readonly server?: string;
  /** The files of the site, by path; written once the port is known. */
  readonly files: (origin: string) => Readonly<Record<string, string>>;
  /** How the server listens, after its address. @default '' */
  readonly listen?: string;
}

export interface Nginx extends RealServer {
  /** The status of every request so far, with its path. */
  requests(): readonly { readonly status: number; readonly path: string }[];
}

export async function startNginx(site: NginxSite): Promise<Nginx> {
  const folder = temporaryFolder();
  const server = await startRealServer({
    program: 'nginx',
    folder,
    configure({ port }) {
      const origin = `http://127.0.0.1:${port}`;
      for (const [path, text] of Object.entries(site.files(origin))) {
        const file = join(folder, 'site', path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      }
      writeFileSync(join(folder, 'nginx.conf'), configuration(port, site));
      return ['-p', folder, '-c', 'nginx.conf'];
    },
  });
  return {
    ...server,
    requests: () =>
      server.logged('access.log').map((line) => {
        const [status = '', path = ''] = line.split(' ');
        return { status: Number(status), path };
      }),
  };
}

/** Its paths are relative: nginx reads spaces and `$` in a path as its own. */
function configuration(port: number, { http = '', server = '', listen = '' }: NginxSite): string {
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
worker_processes 1;
pid nginx.pid;
error_log error.log;
events { worker_connections 256; }
http {
  ${paths.map((name) => `${name}_temp_path ${name};`).join('\n  ')}
  log_format plain '$status $uri';
  access_log access.log plain;
  ${http}
  server {
    listen 127.0.0.1:${port} ${listen};
    root site;
    ${server}
  }
}
`;
}
