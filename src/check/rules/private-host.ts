/** Whether a host is one that the public cannot reach. */

/**
 * By the host of a parsed URL: `localhost`, `10.0.0.1`, `[fd00::1]`. Names that only look private are not looked up.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '');
  if (host === 'localhost' || host.endsWith('.localhost')) return true;
  if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1));
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) && isPrivateIpv4(host.split('.').map(Number));
}

// RFC 6890: this host, private, shared, loopback, link-local, benchmarking, multicast and reserved.
function isPrivateIpv4([a = 0, b = 0]: readonly number[]): boolean {
  if (a === 0 || a === 10 || a === 127 || a >= 224) return true;
  if (a === 100) return b >= 64 && b <= 127;
  if (a === 169) return b === 254;
  if (a === 172) return b >= 16 && b <= 31;
  if (a === 192) return b === 168;
  return a === 198 && (b === 18 || b === 19);
}

// `new URL` writes an address in its shortest form, one with an IPv4 address in it in hexadecimal.
function isPrivateIpv6(address: string): boolean {
  if (address === '::' || address === '::1') return true;
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (mapped !== null) {
    const high = Number.parseInt(mapped[1]!, 16);
    return isPrivateIpv4([high >> 8, high & 0xff]);
  }
  // fc00::/7 is private, fe80::/10 is link-local, ff00::/8 is multicast.
  return /^f(?:[cd][0-9a-f]{2}|e[89ab][0-9a-f]|f[0-9a-f]{2}):/.test(address);
}
