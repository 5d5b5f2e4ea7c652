/** Specification §15: certificates to trust, client certificates, and what a failure of TLS says. */
import { syncBuiltinESMExports } from 'node:module';
import tls from 'node:tls';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fetchErrorOf } from '../../../src/fetch/fetch-failure.ts';
import { isPublicAddress } from '../../../src/url.ts';
import { startRawServer } from '../../server/raw-server.ts';
import { testCertificate } from '../../server/scripted-server.ts';
import { failed, fetched, fetching, readAll, serving } from '../../support/fetching.ts';

const cert = testCertificate().cert.toString();
const key = testCertificate().key.toString();

/** Every name is loopback, and loopback is public here. */
const internet = {
  isPublic: (address: string) => address.startsWith('127.') || isPublicAddress(address),
  resolve: async () => [{ address: '127.0.0.1', family: 4 }],
};

describe('§15 the option ca', () => {
  test('makes a certificate trusted, for every host', async () => {
    const server = await serving({ '/': 'secret' }, { tls: true });
    for (const host of ['localhost', 'site.test', '127.0.0.1']) {
      const url = `https://${host}:${server.port}/`;
      const fetcher = fetching(`https://site.test:${server.port}/`, { ca: cert }, internet);
      expect((await readAll(await fetcher.fetch(url))).text).toBe('secret');
    }
  });

  test.each([
    ['one', { ca: cert }],
    ['several', { ca: [cert, cert] }],
    ['one with a client certificate', { ca: cert, cert, key }],
  ])('adds to the authorities of Node: %s', async (_what, options) => {
    const create = vi.spyOn(tls, 'createSecureContext');
    syncBuiltinESMExports();
    onTestFinished(() => {
      create.mockRestore();
      syncBuiltinESMExports();
    });
    const server = await serving({ '/': 'secret' }, { tls: true });
    create.mockClear();
    await readAll(await fetching(server.origin, options).fetch(`${server.origin}/`));
    const trusted = create.mock.calls.flatMap(([settings]) => settings?.ca ?? []).map(String);
    const missing = [...tls.rootCertificates, cert].filter((authority) => !trusted.includes(authority));
    expect(missing).toHaveLength(0);
  });

  test('does not make any name right', async () => {
    const server = await serving({ '/': 'secret' }, { tls: true });
    const url = `https://another.example:${server.port}/`;
    const failure = failed(await fetching(url, { ca: cert }, internet).fetch(url));
    expect(failure).toMatchObject({ code: 'tls', option: 'verifyTls' });
    expect(failure.reason).toContain('to skip the check, use the option "verifyTls"');
    expect(failure.reason).not.toContain('"ca"');
  });
});

test.each([
  ['the authorities to trust', { ca: cert }, ['localhost', 'site.test', '127.0.0.1']],
  ['a client certificate', { verifyTls: false, cert, key }, ['site.test', 'www.site.test']],
])('§15 %s: read once for all hosts of a call', async (_what, options, hosts) => {
  const server = await serving({ '*': 'secret' }, { tls: true });
  const create = vi.spyOn(tls, 'createSecureContext');
  syncBuiltinESMExports();
  onTestFinished(() => {
    create.mockRestore();
    syncBuiltinESMExports();
  });
  const fetcher = fetching(`https://site.test:${server.port}/`, options, internet);
  for (const host of hosts) await readAll(await fetcher.fetch(`https://${host}:${server.port}/`));
  expect(server.connections).toBe(hosts.length);
  expect(create.mock.calls.filter(([settings]) => settings?.ca ?? settings?.cert)).toHaveLength(1);
});

describe('§15 the options cert and key', () => {
  test.each(['optional', 'required'] as const)('are for the homepage’s own host: %s', async (wanted) => {
    const server = await serving({ '*': 'secret' }, { tls: true, clientCertificate: wanted });
    const own = `https://site.test:${server.port}/`;
    const fetcher = fetching(own, { verifyTls: false, cert, key }, internet);
    for (const url of [own, `https://www.site.test:${server.port}/`]) {
      expect((await readAll(await fetcher.fetch(url))).text).toBe('secret');
    }
    expect(server.requests.map(({ clientName }) => clientName)).toEqual(['localhost', 'localhost']);
    const other = await fetcher.fetch(`https://other.test:${server.port}/`);
    if (wanted === 'optional') await readAll(other);
    else expect(failed(other).code).toBe('tls');
    expect(server.requests.slice(2).every(({ clientName }) => clientName === undefined)).toBe(true);
  });

  test('are for hosts that stand for others as well', async () => {
    const server = await serving({ '*': 'secret' }, { tls: true, clientCertificate: 'required' });
    const mapHosts = {
      [`staging.test:${server.port}`]: 'site.test',
      [`media-staging.test:${server.port}`]: 'media.test',
    };
    const fetcher = fetching('https://site.test/', { verifyTls: false, cert, key, mapHosts }, internet);
    for (const url of ['https://site.test/', 'https://media.test/'])
      expect((await readAll(await fetcher.fetch(url))).text).toBe('secret');
  });

  test('a connection with a certificate is used by its own site only', async () => {
    const server = await serving({ '*': 'secret' }, { tls: true, clientCertificate: 'optional' });
    const origins = ['a.test', 'b.test'].map((host) => `https://${host}:${server.port}`);
    const fetcher = fetching(origins[0]!, { verifyTls: false, cert, key }, internet);
    for (const origin of [...origins, ...origins]) await readAll(await fetcher.fetch(`${origin}/`));
    expect(server.requests.map(({ clientName }) => clientName)).toEqual([
      ...['localhost', undefined, 'localhost', undefined],
    ]);
  });

  test('a server that requires one says what is missing', async () => {
    const server = await serving({ '*': 'secret' }, { tls: true, clientCertificate: 'required' });
    const site = `https://site.test:${server.port}/`;
    const failure = failed(await fetching(site, { ca: cert }, internet).fetch(site));
    expect(failure).toMatchObject({ code: 'tls', option: 'cert' });
    expect(failure.reason).toContain('the option "cert" with the option "key"');
  });
});

describe('§15 a failure of TLS says what to do', () => {
  test('an authority that is not known', async () => {
    const server = await serving({ '/': 'secret' }, { tls: true });
    const failure = failed(await fetched(server, '/'));
    expect(failure).toMatchObject({ code: 'tls', option: 'ca' });
    expect(failure.reason).toContain(
      'to trust it, use the option "ca" or NODE_EXTRA_CA_CERTS; to skip the check, the option "verifyTls".',
    );
  });

  test('a port that does not speak TLS', async () => {
    const server = await startRawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    onTestFinished(() => server.close());
    const url = `https://127.0.0.1:${server.port}/`;
    const failure = failed(await fetching(url).fetch(url));
    expect(failure.code).toBe('tls');
    expect(failure.reason).toContain('the port may not be one for https');
  });

  test.each([
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  ])('%s of a custom client: our options would be of no use', (code) => {
    const error = fetchErrorOf(
      new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) }),
    );
    expect(error).toMatchObject({ code: 'tls', option: undefined });
    expect(error.message).toBe('TLS failed: x; to trust it, set NODE_EXTRA_CA_CERTS');
  });

  test('a host that hangs up in the middle of the handshake is a broken connection', async () => {
    const server = await startRawServer((socket) => socket.destroy());
    onTestFinished(() => server.close());
    const url = `https://127.0.0.1:${server.port}/`;
    expect(failed(await fetching(url, { retries: 0 }).fetch(url)).code).toBe('reset');
  });
});
