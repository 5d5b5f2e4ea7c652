/** What the tests and the demo do on machines that are not like ours. `npm run machines` makes such machines. */
import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { removeProxies } from '../scripts/proxies.js';
import { testCertificate } from './server/scripted-server.ts';
import { ROOT } from './support/cli-binary.ts';

test('the certificate of the servers is valid whatever year the clock of the machine shows', () => {
  const { validFrom, validTo } = new X509Certificate(testCertificate().cert);
  expect(new Date(validFrom).getUTCFullYear()).toBe(2000);
  expect(new Date(validTo).getUTCFullYear()).toBe(2126);
});

test.each([
  'http_proxy',
  'HTTP_PROXY',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
  'npm_config_proxy',
  'npm_config_http_proxy',
  'npm_config_https_proxy',
  'npm_config_https-proxy',
  'npm_config_noproxy',
  'NODE_USE_ENV_PROXY',
])('requests to loopback do not use a proxy that %s names', (name) => {
  // The configuration of the tests has removed those of the machine.
  expect(process.env).not.toHaveProperty([name]);
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv(name, 'http://127.0.0.1:1');
  vi.stubEnv('SITE_PROXY_PORT', '1');
  expect(removeProxies()).toEqual({ [name]: 'http://127.0.0.1:1' });
  expect(process.env).not.toHaveProperty([name]);
  expect(process.env['SITE_PROXY_PORT']).toBe('1');
});

test.each(['build', 'demo', 'mutate', 'soak'])(
  'npm run %s -- --help says what there is; what there is not is a sentence',
  (name) => {
    const run = (flag: string) =>
      spawnSync(process.execPath, [`scripts/${name}.js`, flag], { cwd: ROOT, encoding: 'utf8' });
    expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining(`npm run ${name}`) });
    expect(run('--nothing')).toMatchObject({
      status: 2,
      stderr: "Unknown option '--nothing'. See --help.\n",
    });
  },
);
