/**
 * Who may send a request now: how many are in flight in total, to each host and to each address, how much time passes
 * from the start of one request to a host to the start of its next, and a pause of the whole host where it asked for
 * one. Each host has its own pace (host-pace.ts), below the limits of the options.
 *
 * A slot is held from before the request until its body ends, and not while backing off, since every attempt asks for
 * its own. Within a host requests are served in order, undeclared ones behind all declared ones; hosts take turns, so
 * that a host with a long queue does not starve the others. One instance is shared by all sites of a network: starting
 * a request costs the same however many hosts there are, and a host that is idle is forgotten.
 *
 * @packageDocumentation
 */
import { onAbort } from '../../runtime/abort.ts';
import { AddressSlots } from './address-slots.ts';
import type { Clock } from './clock.ts';
import { HostPace } from './host-pace.ts';
import type { PolitenessOptions, Slot, SlotRequest } from './slot.ts';
import { WaitingLine } from './waiting-line.ts';

interface Waiting {
  readonly call: object | undefined;
  start(): void;
  dismiss(reason: unknown): void;
}

interface Host {
  readonly name: string;
  readonly pace: HostPace;
  active: number;
  /** When its next request may start. */
  readyAt: number;
  /** Until when an idle host is remembered. */
  keptUntil: number;
  address: string | undefined;
  readonly declared: WaitingLine<Waiting>;
  readonly undeclared: WaitingLine<Waiting>;
  /** Ends the timer that runs for `readyAt`. */
  alarm: AbortController | undefined;
}

/** Below this number, hosts that are idle but not ready yet are not looked for. */
const FEW_HOSTS = 100;
/** How many requests an address gets, whatever the number of hosts there. */
export const MOST_PER_ADDRESS = 16;
/** How long an idle host keeps its pace: the shorter one bounds memory, the longer one outlasts every backoff. */
const KEPT_MS = 5_000;
const KEPT_REDUCED_MS = 60_000;

export class Politeness {
  readonly #options: PolitenessOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #hosts = new Map<string, Host>();
  readonly #addresses: AddressSlots<Host>;
  /** The hosts that wait for nothing but a free slot in total, in the order of their turns. */
  readonly #turns = new Set<Host>();
  #active = 0;
  #sweepAt = FEW_HOSTS;

  constructor(options: PolitenessOptions, clock: Clock, random: () => number = Math.random) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
    this.#addresses = new AddressSlots(Math.max(MOST_PER_ADDRESS, options.perHostConcurrency));
  }

  /** How many hosts are known: those in use, and those whose pace is remembered. */
  get hosts(): number {
    return this.#hosts.size;
  }

  /** Waits for a slot. Rejects with the signal's reason, or with that of {@link dismiss}. */
  enter(hostName: string, { signal, isDeclared, address, call }: SlotRequest): Promise<Slot> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const host = this.#host(hostName);
      // Not in between: a slot is given back to the address that it was taken from.
      if (host.active === 0) host.address = address;
      const line = isDeclared ? host.declared : host.undeclared;
      const dismiss = (reason: unknown): void => {
        stopListening();
        line.delete(waiting);
        this.#tidy(host);
        reject(reason);
      };
      const start = (): void => {
        stopListening();
        resolve(this.#occupy(host));
      };
      const waiting = { call, start, dismiss };
      const stopListening = onAbort(signal, dismiss);
      line.add(waiting);
      this.#admit(host);
    });
  }

  /** Rejects everything that one call waits for at a host. */
  dismiss(hostName: string, call: object, reason: unknown): void {
    const host = this.#hosts.get(hostName);
    if (host === undefined) return;
    for (const waiting of [...host.declared, ...host.undeclared]) {
      if (waiting.call === call) waiting.dismiss(reason);
    }
  }

  /**
   * Lets no request to a host start before `ms` from now. Returns how much longer that is than it had to wait anyway.
   */
  pause(hostName: string, ms: number): number {
    const host = this.#host(hostName);
    const now = this.#clock.now();
    const before = Math.max(host.readyAt, now);
    host.readyAt = Math.max(before, now + ms);
    return host.readyAt - before;
  }

  #host(name: string): Host {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    this.#sweep();
    const host = {
      ...{ name, active: 0, readyAt: 0, keptUntil: 0, alarm: undefined, address: undefined },
      ...{ declared: new WaitingLine<Waiting>(), undeclared: new WaitingLine<Waiting>() },
      pace: new HostPace(this.#options.perHostConcurrency),
    };
    this.#hosts.set(name, host);
    return host;
  }

  #occupy(host: Host): Slot {
    const { pace, address } = host;
    const startedAt = this.#clock.now();
    host.active++;
    this.#active++;
    this.#addresses.take(address);
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
      leave: () => {
        if (isOver) return;
        isOver = true;
        host.active--;
        this.#active--;
        host.keptUntil = this.#clock.now() + (pace.isReduced ? KEPT_REDUCED_MS : KEPT_MS);
        this.#addresses.give(address, (next) => this.#queue(next));
        this.#tidy(host);
        this.#admit(host);
      },
    };
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
    if (!this.#addresses.isFree(host.address, host)) return;
    line.delete(first);
    first.start();
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
    this.#addresses.withdraw(host.address, host);
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

function waitingLine({ declared, undeclared }: Host): WaitingLine<Waiting> {
  return declared.size > 0 ? declared : undeclared;
}

function isForgettable(host: Host, now: number): boolean {
  const isIdle = host.active === 0 && waitingLine(host).size === 0;
  return isIdle && host.readyAt <= now && host.keptUntil <= now;
}
