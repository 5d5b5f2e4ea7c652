/**
 * Which addresses belong to the public internet.
 *
 * IPv4: all but what IANA's special-purpose registry calls not globally reachable, multicast, the documentation ranges,
 * and the one address that Azure gives to the host of every virtual machine.
 *
 * IPv6: the global unicast range alone (2000::/3), without what its registry calls special. Everything else is
 * reserved, local or multicast. An address that carries an IPv4 address (mapped, NAT64, 6to4, Teredo, ISATAP) is at
 * most as public as the address inside: the packet may end there.
 *
 * @packageDocumentation
 */
import { BlockList, isIP, isIPv4 } from 'node:net';

const SPECIAL_IPV4 = blockList('ipv4', [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '168.63.129.16/32', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15'],
  ...['198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
]);

const GLOBAL_IPV6 = blockList('ipv6', ['2000::/3']);
const SPECIAL_IPV6 = blockList('ipv6', ['2001::/23', '2001:db8::/32', '3ffe::/16', '3fff::/20']);

/** Whether an IP address, in any spelling that Node accepts, belongs to the public internet. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  if (isIPv4(plain)) return !SPECIAL_IPV4.check(plain, 'ipv4');
  const words = ipv6Words(plain);
  if (words === undefined) return false;
  const whole = tunnelledIPv4(words);
  if (whole !== undefined) return isPublicAddress(whole);
  const end = isatapIPv4(words);
  if (end !== undefined && !isPublicAddress(end)) return false;
  return GLOBAL_IPV6.check(plain, 'ipv6') && !SPECIAL_IPV6.check(plain, 'ipv6');
}

function blockList(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}

/** The eight 16-bit words of an IPv6 address; the URL parser knows every spelling. */
function ipv6Words(address: string): readonly number[] | undefined {
  if (isIP(address) !== 6) return undefined;
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = '', tail] = canonical.split('::');
  const words = (part: string): number[] =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16));
  const [first, last] = [words(head), words(tail ?? '')];
  return [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
}

/** The IPv4 address that an IPv6 address stands for as a whole: the packet goes there. */
function tunnelledIPv4(words: readonly number[]): string | undefined {
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = words;
  if (a === 0x2002) return dotted(b, c); // 6to4
  if (a === 0x64 && b === 0xff9b && (c | d | e | f) === 0) return dotted(g, h); // NAT64
  if (a === 0x2001 && b === 0) return dotted(g ^ 0xffff, h ^ 0xffff); // Teredo
  if ((a | b | c | d | e) === 0 && f === 0xffff) return dotted(g, h); // IPv4-mapped
  return undefined;
}

/** The IPv4 address in an interface identifier of ISATAP (RFC 5214 §6.1), under any prefix. */
function isatapIPv4([, , , , e = 0, f = 0, g = 0, h = 0]: readonly number[]): string | undefined {
  return (e & ~0x0300) === 0 && f === 0x5efe ? dotted(g, h) : undefined;
}

function dotted(high: number, low: number): string {
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}
