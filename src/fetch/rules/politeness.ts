/**
 * The pace of requests: how many are in flight in total and to each host, how much time passes from the start of one
 * request to a host to the start of its next, and a pause of the whole host where it asked for one.
 *
 * A slot is held from before the request until its body ends, and not while backing off, since every attempt asks for
 * its own. Within a host requests are served in order, undeclared ones behind all declared ones; hosts take turns, so
 * that a host with a long queue does not starve the others. One instance is shared by all sites of a network: starting
 * a request costs the same however many hosts there are, and a host that is idle is forgotten.
 *
 * @packageDocumentation
 */
import { onAbort } from '../../abort.ts';
import { onBodyEnd } from '../body.ts';
import type { Clock } from './clock.ts';
import type { Concern } from './exchange.ts';
import { isPassingStatus, LONGEST_RETRY_AFTER_MS, retryAfterMs } from './retry-timing.ts';

export interface PolitenessOptions {
  readonly concurrency: number;
  readonly perHostConcurrency: number;
  readonly waitMs: number;
  readonly randomWait: boolean;
}

/** What is asked of {@link Politeness.enter}. */
export interface SlotRequest {
  /** Ends the wait; its reason is thrown. */
  readonly signal: AbortSignal;
  /** An undeclared request waits behind all declared ones of its host. */
  readonly isDeclared: boolean;
}

interface Host {
  readonly name: string;
  active: number;
  /** When its next request may start. */
  readyAt: number;
  readonly declared: Set<() => void>;
  readonly undeclared: Set<() => void>;
  /** Ends the timer that runs for `readyAt`. */
  alarm: AbortController | undefined;
}

/** Below this number, hosts that are idle but not ready yet are not looked for. */
const FEW_HOSTS = 100;

export class Politeness {
  readonly #options: PolitenessOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #hosts = new Map<string, Host>();
  /** The hosts that wait for nothing but a free slot in total, in the order of their turns. */
  readonly #turns = new Set<Host>();
  #active = 0;
  #sweepAt = FEW_HOSTS;

  constructor(options: PolitenessOptions, clock: Clock, random: () => number = Math.random) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
  }

  /** How many hosts are known: those in use, and those that must not be asked again yet. */
  get hosts(): number {
    return this.#hosts.size;
  }

  /** Waits for a slot; resolves with the function that gives it back. Rejects with the signal's reason. */
  enter(hostName: string, { signal, isDeclared }: SlotRequest): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const host = this.#host(hostName);
      const line = isDeclared ? host.declared : host.undeclared;
      const start = (): void => {
        stopListening();
        resolve(this.#occupy(host));
      };
      const stopListening = onAbort(signal, (reason) => {
        line.delete(start);
        this.#tidy(host);
        reject(reason);
      });
      line.add(start);
      this.#admit(host);
    });
  }

  /** Lets no request to a host start before `ms` from now. */
  pause(hostName: string, ms: number): void {
    const host = this.#host(hostName);
    host.readyAt = Math.max(host.readyAt, this.#clock.now() + ms);
  }

  #host(name: string): Host {
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    this.#sweep();
    const host = {
      ...{ name, active: 0, readyAt: 0, alarm: undefined },
      ...{ declared: new Set<() => void>(), undeclared: new Set<() => void>() },
    };
    this.#hosts.set(name, host);
    return host;
  }

  #occupy(host: Host): () => void {
    host.active++;
    this.#active++;
    const { waitMs, randomWait } = this.#options;
    const wait = randomWait ? waitMs * (0.5 + this.#random()) : waitMs;
    host.readyAt = Math.max(host.readyAt, this.#clock.now() + wait);
    let leave = (): void => {
      leave = () => {};
      host.active--;
      this.#active--;
      this.#tidy(host);
      this.#admit(host);
    };
    return () => leave();
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
    const [start] = line;
    if (start === undefined) return;
    const earlyMs = host.readyAt - this.#clock.now();
    if (earlyMs > 0) {
      this.#setAlarm(host, earlyMs);
      return;
    }
    line.delete(start);
    start();
    this.#queue(host);
  }

  /** Puts a host at the end of the turns if one of its requests could start. */
  #queue(host: Host): void {
    const isReady = host.alarm === undefined && host.active < this.#options.perHostConcurrency;
    if (isReady && waitingLine(host).size > 0) this.#turns.add(host);
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
    if (isIdle(host) && host.readyAt <= this.#clock.now()) this.#hosts.delete(host.name);
  }

  /** Forgets the hosts that had to be kept when they became idle, each time that the number of hosts has doubled. */
  #sweep(): void {
    if (this.#hosts.size < this.#sweepAt) return;
    const now = this.#clock.now();
    for (const host of this.#hosts.values()) {
      if (isIdle(host) && host.readyAt <= now) this.#hosts.delete(host.name);
    }
    this.#sweepAt = Math.max(FEW_HOSTS, 2 * this.#hosts.size);
  }
}

function waitingLine({ declared, undeclared }: Host): Set<() => void> {
  return declared.size > 0 ? declared : undeclared;
}

function isIdle(host: Host): boolean {
  return host.active === 0 && waitingLine(host).size === 0;
}

/** Holds a slot of the host until the body ends; a `Retry-After` pauses the whole host. */
export const withPoliteness =
  (politeness: Politeness, clock: Clock): Concern =>
  (next) =>
  async (url, scope) => {
    const { signal } = scope;
    const leave = await politeness.enter(url.host, { signal, isDeclared: scope.isDeclared() });
    try {
      scope.onTurn();
      const response = await next(url, scope);
      const pause = isPassingStatus(response.status)
        ? retryAfterMs(response.header('retry-after'), clock.now())
        : undefined;
      if (pause !== undefined && pause <= LONGEST_RETRY_AFTER_MS) politeness.pause(url.host, pause);
      return { ...response, body: onBodyEnd(response.body, leave) };
    } catch (error) {
      leave();
      throw error;
    }
  };
