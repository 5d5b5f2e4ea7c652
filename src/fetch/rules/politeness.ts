/**
 * Who may send a request now: how many are in flight in total, to each host and to each address, how much time passes
 * from the start of one request to a host to the start of its next, and a pause of the whole host where it asked for
 * one. Each {@link Host} has its own pace, below the limits of the options.
 *
 * A slot is held from before the request until its body ends, and not while backing off, since every attempt asks for
 * its own. Within a host requests are served in order, undeclared ones behind all declared ones; hosts take turns, so
 * that a host with a long queue does not starve the others. One instance is shared by all sites of a network: starting
 * a request costs the same however many hosts there are, and a host that is idle is forgotten. One that is down is
 * remembered for a few minutes: what is down for one site is down for the next.
 */
import type { ResolvedOptions } from '../../options/resolve.ts';
import { onAbort, type StopSignal } from '../../runtime/abort.ts';
import type { Clock } from '../../runtime/time.ts';
import { Host } from './host.ts';

type PolitenessOptions = Pick<
  ResolvedOptions,
  'concurrency' | 'perHostConcurrency' | 'waitMs' | 'randomWait'
>;

interface SlotRequest {
  readonly signal: StopSignal;
  readonly isDeclared: boolean;
  /** The address of the host, where it is known: hosts of one address share its limit. */
  readonly address?: string | undefined;
  /** Aborted where the call that asks wants nothing of the host any more. */
  readonly ended?: StopSignal | undefined;
}

export interface Slot {
  /** The headers of a response have arrived that is not a refusal. */
  responded(): void;
  /** The request was refused, took too long or broke. Returns the new spacing, if that reduced the host's pace. */
  refused(): number | undefined;
  /** Lets no request to the host start before `ms` from now. Returns how much longer it has to wait than anyway. */
  pause(ms: number): number;
  /** Gives the slot back; further calls do nothing. */
  leave(): void;
}

/**
 * How many requests one address has in flight: thousands of sites may be on one machine, each under a name of its own.
 */
interface Address {
  readonly name: string;
  active: number;
  /** The hosts that wait for nothing but the end of a request to the address, in order. */
  readonly blocked: Set<Host>;
}

/** Below this number, hosts that are idle but not ready yet are not looked for. */
const FEW_HOSTS = 100;
/** As many as one host gets, and no fewer than this. */
const LEAST_PER_ADDRESS = 16;
/** How many hosts that are down are remembered; the oldest are forgotten first. */
const MOST_DOWN = 1_000;

/** How many requests an address gets, whatever the number of hosts there. */
export function mostPerAddress({ perHostConcurrency }: PolitenessOptions): number {
  return Math.max(LEAST_PER_ADDRESS, perHostConcurrency);
}

export class Politeness {
  readonly #options: PolitenessOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #hosts = new Map<string, Host>();
  /** The addresses that have requests in flight. */
  readonly #addresses = new Map<string, Address>();
  readonly #mostPerAddress: number;
  /** The hosts that wait for nothing but a free slot in total, in the order of their turns. */
  readonly #turns = new Set<Host>();
  /** The hosts that are down, the oldest first; some may be up again. */
  readonly #down = new Set<Host>();
  #active = 0;
  #sweepAt = FEW_HOSTS;

  constructor(options: PolitenessOptions, clock: Clock, random: () => number = Math.random) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#mostPerAddress = mostPerAddress(options);
  }

  /** How many hosts are known: those in use, those whose pace is remembered, and those that are down. */
  get hosts(): number {
    return this.#hosts.size;
  }

  /** Why the origin of a URL is down, if one of the calls has found that. */
  whyDown({ host, origin }: URL): string | undefined {
    return this.#hosts.get(host)?.whyDown(origin, this.#clock.now());
  }

  /** Tells all calls that the origin of a URL is down. */
  setDown({ host: name, origin }: URL, reason: string): void {
    const host = this.#host(name);
    host.setDown(origin, reason, this.#clock.now());
    this.#down.delete(host);
    this.#down.add(host);
    const [oldest] = this.#down;
    if (this.#down.size <= MOST_DOWN || oldest === undefined) return;
    this.#down.delete(oldest);
    oldest.setUp();
    this.#forget(oldest);
  }

  /** Waits for a slot. Rejects with the reason of a signal. */
  enter(hostName: string, { signal, ended, isDeclared, address }: SlotRequest): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const over = [signal, ended].find((each) => each?.aborted);
      if (over !== undefined) return reject(over.reason);
      const host = this.#host(hostName);
      // Only while idle: a slot goes back to the address it was taken from.
      if (host.active === 0 && host.address !== address) {
        this.#addresses.get(host.address ?? '')?.blocked.delete(host);
        host.address = address;
      }
      const line = isDeclared ? host.declared : host.undeclared;
      const dismiss = (reason: unknown): void => {
        stopListening();
        line.delete(start);
        this.#tidy(host);
        reject(reason);
      };
      const start = (): void => {
        stopListening();
        resolve(this.#occupy(host));
      };
      const listening = [signal, ended].map((each) => onAbort(each, dismiss));
      const stopListening = (): void => {
        for (const stop of listening) stop();
      };
      line.add(start);
      this.#admit(host);
    });
  }

  #host(name: string): Host {
    const present = this.#hosts.get(name);
    if (present !== undefined) return present;
    this.#sweep();
    const host = new Host(name, this.#options.perHostConcurrency);
    this.#hosts.set(name, host);
    return host;
  }

  #occupy(host: Host): Slot {
    const address = this.#addressOf(host);
    const startedAt = this.#clock.now();
    this.#active++;
    if (address !== undefined) address.active++;
    const { waitMs, randomWait } = this.#options;
    const request = host.start(startedAt, randomWait ? waitMs * (0.5 + this.#random()) : waitMs);
    let isOver = false;
    return {
      responded: () => {
        host.responded(this.#clock.now() - startedAt);
        this.#admit(host);
      },
      refused: () => (host.refused(request, this.#clock.now()) ? host.spacingMs : undefined),
      pause: (ms) => host.pause(ms, this.#clock.now()),
      leave: () => {
        if (isOver) return;
        isOver = true;
        this.#active--;
        host.leave(this.#clock.now());
        if (address !== undefined) this.#leaveAddress(address);
        this.#tidy(host);
        this.#admit(host);
      },
    };
  }

  #addressOf({ address: name }: Host): Address | undefined {
    if (name === undefined) return undefined;
    const address = this.#addresses.get(name) ?? { name, active: 0, blocked: new Set() };
    this.#addresses.set(name, address);
    return address;
  }

  /** Gives a slot of an address back, and offers it to those that wait, until one accepts. */
  #leaveAddress(address: Address): void {
    address.active--;
    for (const host of address.blocked) {
      address.blocked.delete(host);
      if (this.#queue(host)) return;
    }
    if (address.active === 0) this.#addresses.delete(address.name);
  }

  /** Starts what can start, after something has changed for a host. */
  #admit(host: Host): void {
    this.#queue(host);
    for (const next of this.#turns) {
      if (this.#active >= this.#options.concurrency) return;
      this.#turns.delete(next);
      this.#start(next);
    }
  }

  /** Starts the first request of a host, or waits until it may start. */
  #start(host: Host): void {
    const { first } = host.waiting;
    if (first === undefined) return;
    const earlyMs = host.readyAt - this.#clock.now();
    if (earlyMs > 0) {
      this.#setAlarm(host, earlyMs);
      return;
    }
    const address = this.#addressOf(host);
    if (address !== undefined && address.active >= this.#mostPerAddress) {
      address.blocked.add(host);
      return;
    }
    host.waiting.delete(first);
    first();
    this.#queue(host);
  }

  /** Puts a host at the end of the turns if one of its requests could start; returns whether one could. */
  #queue(host: Host): boolean {
    const isReady = host.alarm === undefined && host.active < host.concurrency;
    if (!isReady || host.waiting.size === 0) return false;
    this.#turns.add(host);
    return true;
  }

  #setAlarm(host: Host, ms: number): void {
    const alarm = new AbortController();
    host.alarm = alarm;
    const ring = (): void => {
      if (host.alarm !== alarm) return;
      host.alarm = undefined;
      this.#admit(host);
    };
    this.#clock.sleep(ms, alarm.signal).then(ring, () => {});
  }

  /** With an empty line there is no timer (it would keep the process alive) and, once idle, no entry. */
  #tidy(host: Host): void {
    if (host.waiting.size > 0) return;
    host.alarm?.abort();
    host.alarm = undefined;
    this.#turns.delete(host);
    this.#addresses.get(host.address ?? '')?.blocked.delete(host);
    this.#forget(host);
  }

  /** Forgets the hosts that had to be kept when they became idle, each time that the number of hosts has doubled. */
  #sweep(): void {
    if (this.#hosts.size < this.#sweepAt) return;
    for (const host of this.#hosts.values()) this.#forget(host);
    this.#sweepAt = Math.max(FEW_HOSTS, 2 * this.#hosts.size);
  }

  #forget(host: Host): void {
    if (!host.isForgettable(this.#clock.now())) return;
    this.#hosts.delete(host.name);
    this.#down.delete(host);
  }
}
