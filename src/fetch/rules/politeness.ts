/**
 * Who may send a request now: how many are in flight in total, to each host and to each address, how much time passes
 * from the start of one request to a host to the start of its next, and a pause of the whole host where it asked for
 * one. Each host has its own pace (host-pace.ts), below the limits of the options.
 *
 * A slot is held from before the request until its body ends, and not while backing off, since every attempt asks for
 * its own. Within a host requests are served in order, undeclared ones behind all declared ones; hosts take turns, so
 * that a host with a long queue does not starve the others. One instance is shared by all sites of a network: starting
 * a request costs the same however many hosts there are, and a host that is idle is forgotten.
 */
import type { ResolvedOptions } from '../../options/resolve.ts';
import { onAbort, type StopSignal } from '../../runtime/abort.ts';
import type { Clock } from '../../runtime/time.ts';
import { WaitingLine } from '../../runtime/waiting-line.ts';
import { onBodyEnd } from '../body.ts';
import type { ResponseFacts } from '../client/web-client.ts';
import { FetchError } from '../fetch-failure.ts';
import type { Concern, DocumentScope } from './exchange.ts';
import { HostPace } from './host-pace.ts';
import { isPassingStatus, isRefusal, LONGEST_RETRY_AFTER_MS, retryAfterMs } from './retry.ts';

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

/** Starts a request that waits. */
type Start = () => void;

interface Host {
  readonly name: string;
  readonly pace: HostPace;
  active: number;
  readyAt: number;
  /** Until when an idle host is remembered. */
  keptUntil: number;
  address: string | undefined;
  readonly declared: WaitingLine<Start>;
  readonly undeclared: WaitingLine<Start>;
  /** Ends the timer that runs for `readyAt`. */
  alarm: AbortController | undefined;
}

/**
 * How many requests one address has in flight: thousands of sites may be on one machine, each under a name of its own.
 */
interface Address {
  readonly name: string;
  active: number;
  /** Those that wait for nothing but a request of the address to end, in order. */
  readonly blocked: Set<Host>;
}

/** Below this number, hosts that are idle but not ready yet are not looked for. */
const FEW_HOSTS = 100;
/** As many as one host gets, and no fewer than this. */
const LEAST_PER_ADDRESS = 16;
/** How long an idle host keeps its pace: the shorter one bounds memory, the longer one outlasts every backoff. */
const KEPT_MS = 5_000;
const KEPT_REDUCED_MS = 60_000;

/** How many requests an address gets, whatever the number of hosts there. */
export function mostPerAddress({ perHostConcurrency }: PolitenessOptions): number {
  return Math.max(LEAST_PER_ADDRESS, perHostConcurrency);
}

export class Politeness {
  readonly #options: PolitenessOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #hosts = new Map<string, Host>();
  /** Those that have requests in flight. */
  readonly #addresses = new Map<string, Address>();
  readonly #mostPerAddress: number;
  /** The hosts that wait for nothing but a free slot in total, in the order of their turns. */
  readonly #turns = new Set<Host>();
  #active = 0;
  #sweepAt = FEW_HOSTS;

  constructor(options: PolitenessOptions, clock: Clock, random: () => number = Math.random) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#mostPerAddress = mostPerAddress(options);
  }

  /** How many hosts are known: those in use, and those whose pace is remembered. */
  get hosts(): number {
    return this.#hosts.size;
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
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    this.#sweep();
    const host: Host = {
      name,
      pace: new HostPace(this.#options.perHostConcurrency),
      active: 0,
      readyAt: 0,
      keptUntil: 0,
      address: undefined,
      declared: new WaitingLine(),
      undeclared: new WaitingLine(),
      alarm: undefined,
    };
    this.#hosts.set(name, host);
    return host;
  }

  #occupy(host: Host): Slot {
    const { pace } = host;
    const address = this.#addressOf(host);
    const startedAt = this.#clock.now();
    host.active++;
    this.#active++;
    if (address !== undefined) address.active++;
    const { waitMs, randomWait } = this.#options;
    const wait = randomWait ? waitMs * (0.5 + this.#random()) : waitMs;
    host.readyAt = Math.max(host.readyAt, startedAt + Math.max(wait, pace.spacingMs));
    const request = pace.start();
    let isOver = false;
    return {
      responded: () => {
        pace.responded(this.#clock.now() - startedAt);
        this.#admit(host);
      },
      refused: () => {
        const now = this.#clock.now();
        if (!pace.refused(request, now)) return undefined;
        host.readyAt = Math.max(host.readyAt, now + pace.spacingMs);
        return pace.spacingMs;
      },
      pause: (ms) => {
        const now = this.#clock.now();
        const before = Math.max(host.readyAt, now);
        host.readyAt = Math.max(before, now + ms);
        return host.readyAt - before;
      },
      leave: () => {
        if (isOver) return;
        isOver = true;
        host.active--;
        this.#active--;
        host.keptUntil = this.#clock.now() + (pace.spacingMs > 0 ? KEPT_REDUCED_MS : KEPT_MS);
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
    const line = waitingLine(host);
    const { first } = line;
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
    line.delete(first);
    first();
    this.#queue(host);
  }

  /** Puts a host at the end of the turns if one of its requests could start; returns whether one could. */
  #queue(host: Host): boolean {
    const isReady = host.alarm === undefined && host.active < host.pace.concurrency;
    if (!isReady || waitingLine(host).size === 0) return false;
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
    if (waitingLine(host).size > 0) return;
    host.alarm?.abort();
    host.alarm = undefined;
    this.#turns.delete(host);
    this.#addresses.get(host.address ?? '')?.blocked.delete(host);
    if (isForgettable(host, this.#clock.now())) this.#hosts.delete(host.name);
  }

  /** Forgets the hosts that had to be kept when they became idle, each time that the number of hosts has doubled. */
  #sweep(): void {
    if (this.#hosts.size < this.#sweepAt) return;
    const now = this.#clock.now();
    for (const host of this.#hosts.values()) {
      if (isForgettable(host, now)) this.#hosts.delete(host.name);
    }
    this.#sweepAt = Math.max(FEW_HOSTS, 2 * this.#hosts.size);
  }
}

function waitingLine({ declared, undeclared }: Host): WaitingLine<Start> {
  return declared.size > 0 ? declared : undeclared;
}

function isForgettable(host: Host, now: number): boolean {
  const isIdle = host.active === 0 && waitingLine(host).size === 0;
  return isIdle && host.readyAt <= now && host.keptUntil <= now;
}

/** What a host that responds otherwise does while it restarts, or while its resolver fails. */
const PASSING: ReadonlySet<string> = new Set(['refused', 'unreachable', 'unresolved']);

/** Refuses hosts that are down, and watches which can be reached. */
export const withHostsDown: Concern = (next) => async (url, scope) => {
  const { hosts } = scope;
  const reason = hosts.call.whyDown(url.origin);
  if (reason !== undefined) {
    throw new FetchError('host-down', `not requested, since ${url.host} could not be reached: ${reason}`);
  }
  try {
    const response = await next(url, scope);
    hosts.reached(url);
    return response;
  } catch (error) {
    if (error instanceof FetchError && error.code !== 'private-network') {
      if (error.connected) hosts.reached(url);
      else hosts.missed(url, error);
      if (PASSING.has(error.code) && hosts.call.hasReached(url.origin)) throw error.with({ retryable: true });
    }
    throw error;
  }
};

export type AddressOf = (url: URL) => Promise<string | undefined>;

/** A longer spacing than this is reported. */
const LONG_SPACING_MS = 1_000;

/**
 * One request at the pace of its host: it waits for its slot, tells the host's pace how it went, and pauses the whole
 * host where the response asks for it.
 */
export const withPace =
  (politeness: Politeness, addressOf: AddressOf): Concern =>
  (next) =>
  async (url, scope) => {
    const { signal, hosts } = scope;
    hosts.check(url);
    hosts.waits(url);
    const address = await addressOf(url);
    const isDeclared = scope.isDeclared();
    const slot = await politeness.enter(url.host, { signal, ended: hosts.ended(url), isDeclared, address });
    try {
      // What ended the host may have happened while this request waited.
      hosts.check(url);
      scope.onTurn();
      const response = await next(url, scope);
      const { head, body } = response;
      if (!head.isRecorded) noteResponse(url, head, slot, scope);
      return {
        head,
        body: onBodyEnd(body, (error) => {
          noteError(url, error, slot, scope);
          slot.leave();
        }),
      };
    } catch (error) {
      noteError(url, error, slot, scope);
      if (error instanceof FetchError) hosts.failed(url, error);
      slot.leave();
      throw error;
    }
  };

function noteResponse(url: URL, response: ResponseFacts, slot: Slot, scope: DocumentScope): void {
  const { hosts } = scope;
  const { status, hadCredentials } = response;
  const said = isPassingStatus(status)
    ? retryAfterMs(response.header('retry-after'), hosts.call.clock.now())
    : undefined;
  hosts.responded(url, { status, retryAfterMs: said, hadCredentials });
  if (isRefusal(status)) noteSpacing(url, slot.refused(), `it responded with ${status}`, scope);
  else if (status < 500) slot.responded();
  if (said === undefined || said > LONGEST_RETRY_AFTER_MS || !hosts.mayPause(url, said)) return;
  const waitMs = slot.pause(said);
  if (waitMs === 0) return;
  hosts.paused(url, waitMs);
  scope.onWait({ host: url.host, waitMs: said, reason: `it asked for a pause (${status} with Retry-After)` });
}

function noteError(url: URL, error: unknown, slot: Slot, scope: DocumentScope): void {
  if (!(error instanceof FetchError) || (error.code !== 'timeout' && error.code !== 'reset')) return;
  noteSpacing(url, slot.refused(), error.message, scope);
}

function noteSpacing(url: URL, waitMs: number | undefined, reason: string, scope: DocumentScope): void {
  if (waitMs === undefined || waitMs < LONG_SPACING_MS) return;
  scope.onWait({ host: url.host, waitMs, reason: `its pace was reduced (${reason})` });
}
