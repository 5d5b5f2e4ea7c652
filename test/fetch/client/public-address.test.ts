/**
 * Specification §9: the ranges of IANA's special-purpose registries for IPv4 and IPv6 (as of 2025), multicast and
 * reserved space, each with its first and last address and with its neighbours.
 */
import { describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../../src/url.ts';

describe('IPv4', () => {
  test.each<[range: string, first: string, last: string, before: string | null, after: string | null]>([
    ['0.0.0.0/8, this network', '0.0.0.0', '0.255.255.255', null, '1.0.0.0'],
    ['10.0.0.0/8, private use', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
    ['100.64.0.0/10, shared', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
    ['127.0.0.0/8, loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
    ['168.63.129.16, of Azure', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
    ['169.254.0.0/16, link-local', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
    ['172.16.0.0/12, private use', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
    ['192.0.0.0/24, IETF', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
    ['192.0.2.0/24, documentation', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
    ['192.88.99.0/24, 6to4 relay', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
    ['192.168.0.0/16, private use', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
    ['198.18.0.0/15, benchmarks', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
    ['198.51.100.0/24, documentation', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
    ['203.0.113.0/24, documentation', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
    ['224.0.0.0/4, multicast', '224.0.0.0', '239.255.255.255', '223.255.255.255', null],
    ['240.0.0.0/4, reserved', '240.0.0.0', '255.255.255.255', null, null],
  ])('%s', (_range, first, last, before, after) => {
    expect([first, last].map(isPublicAddress)).toEqual([false, false]);
    for (const neighbour of [before, after])
      if (neighbour !== null) expect(isPublicAddress(neighbour)).toBe(true);
  });

  test.each(['192.31.196.1', '192.52.193.1', '192.175.48.1'])(
    '%s is special, and globally reachable',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

describe('IPv6', () => {
  test.each<[range: string, first: string, last: string, before: string | null, after: string | null]>([
    ['::/128, unspecified', '::', '::', null, null],
    ['::1/128, loopback', '::1', '::1', null, null],
    ['::/8, reserved', '::2', 'ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['::/96, IPv4-compatible', '::2', '::8.8.8.8', null, null],
    ['::ffff:0:0:0/96, IPv4-translated', '::ffff:0:8.8.8.8', '::ffff:0:127.0.0.1', null, null],
    ['64:ff9b:0:1::/64, beside NAT64', '64:ff9b:0:1::808:808', '64:ff9b:0:ffff::808:808', null, null],
    ['64:ff9b:2::/47, beside local NAT64', '64:ff9b:2::808:808', '64:ff9b:3::808:808', null, null],
    ['100::/64, discard', '100::', '100::ffff:ffff:ffff:ffff', null, null],
    ['100:0:0:1::/64, dummy', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff', null, null],
    ['200::/7 to 1000::/4, reserved', '200::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, '2000::1'],
    ['2001::/23, IETF', '2001:1::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', null, '2001:200::'],
    ['2001:2::/48, benchmarks', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff', null, null],
    ['2001:10::/28, ORCHID', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    [
      '2001:db8::/32, documentation',
      '2001:db8::',
      '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
      '2001:db9::',
    ],
    ['3ffe::/16, the old 6bone', '3ffe::', '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffd::1', null],
    ['3fff::/20, documentation', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', null, '3fff:1000::'],
    ['4000::/3, reserved', '4000::', '5fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['5f00::/16, segment routing', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['6000::/3 to f800::/6, reserved', '6000::', 'fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['fc00::/7, unique local', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['fd00:ec2::254, metadata of EC2', 'fd00:ec2::254', 'fd20:ce::254', null, null],
    ['fe00::/9, reserved', 'fe00::', 'fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['fe80::/10, link-local', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['fec0::/10, site-local', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
    ['ff00::/8, multicast', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', null, null],
  ])('%s', (_range, first, last, before, after) => {
    expect([first, last].map(isPublicAddress)).toEqual([false, false]);
    for (const neighbour of [before, after])
      if (neighbour !== null) expect(isPublicAddress(neighbour)).toBe(true);
  });

  test.each(['fe80::1%eth0', '0:0:0:0:0:0:0:1', '0000:0000:0000:0000:0000:ffff:7f00:0001', 'no address', ''])(
    '%j is not public, however it is written',
    (address) => expect(isPublicAddress(address)).toBe(false),
  );

  test.each(['2606:4700::1', '2a00:1450:4001::1', '2620:4f:8000::1', '2400::1', '3000::1'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );
});

describe('an IPv4 address inside an IPv6 address', () => {
  const octet = (word: string, at: 0 | 1): string => word.padStart(4, '0').slice(2 * at, 2 * at + 2);
  /** Behind an octet that is not used. */
  const shifted = (high: string, low: string): string =>
    `${octet(high, 0)}:${octet(high, 1)}${octet(low, 0)}:${octet(low, 1)}00`;
  const inside: Record<string, (high: string, low: string) => string> = {
    'IPv4-mapped': (high, low) => `::ffff:${high}:${low}`,
    NAT64: (high, low) => `64:ff9b::${high}:${low}`,
    'NAT64 of a network, 96 bits': (high, low) => `64:ff9b:1::${high}:${low}`,
    'NAT64 of a network, 96 bits behind a number': (high, low) => `64:ff9b:1:fffe::${high}:${low}`,
    'NAT64 of a network, 64 bits': (high, low) => `64:ff9b:1:0:${shifted(high, low)}::`,
    'NAT64 of a network, 56 bits': (high, low) => `64:ff9b:1:${octet(high, 0)}:${octet(high, 1)}:${low}::`,
    'NAT64 of a network, 48 bits': (high, low) => `64:ff9b:1:${high}:${octet(low, 0)}:${octet(low, 1)}00::`,
    'NAT64 of a network, 48 bits and a suffix': (high, low) =>
      `64:ff9b:1:${high}:${octet(low, 0)}:${octet(low, 1)}00:808:808`,
    '6to4': (high, low) => `2002:${high}:${low}::1`,
    'ISATAP, private': (high, low) => `2a00:1450:4001:1:0:5efe:${high}:${low}`,
    'ISATAP, global': (high, low) => `2a00:1450:4001:1:200:5efe:${high}:${low}`,
    'ISATAP, group': (high, low) => `2a00:1450:4001:1:100:5efe:${high}:${low}`,
  };
  describe.each(Object.entries(inside))('%s', (_form, around) => {
    test.each([
      ['127.0.0.1', '7f00', '1'],
      ['10.0.0.1', 'a00', '1'],
      ['169.254.169.254', 'a9fe', 'a9fe'],
      ['168.63.129.16', 'a83f', '8110'],
      ['192.168.1.1', 'c0a8', '101'],
    ])('%s is not public', (_address, high, low) => expect(isPublicAddress(around(high, low))).toBe(false));

    test('8.8.8.8 is public', () => expect(isPublicAddress(around('808', '808'))).toBe(true));
  });

  test('NAT64 of a network without an address inside is not public', () => {
    for (const address of ['64:ff9b:1::', '64:ff9b:1::1', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'])
      expect(isPublicAddress(address)).toBe(false);
  });

  test('ISATAP under a prefix that is not public is not, whatever is inside', () => {
    for (const prefix of ['fe80:', 'fd00:1:2:3', 'fe80::']) {
      const address = prefix.endsWith('::') ? `${prefix}200:5efe:808:808` : `${prefix}:0:5efe:808:808`;
      expect(isPublicAddress(address)).toBe(false);
    }
  });

  test('Teredo hides its address by inverting it', () => {
    expect(isPublicAddress('2001:0:4136:e378:8000:63bf:80ff:fffe')).toBe(false); // 127.0.0.1
    expect(isPublicAddress('2001:0:4136:e378:8000:63bf:f7f7:f7f7')).toBe(true); // 8.8.8.8
  });
});
