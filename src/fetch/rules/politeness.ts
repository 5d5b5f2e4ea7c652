/**
 * How hard hosts are worked: so many requests in flight in all and to each host, so long from the start of one
 * request to a host to the start of its next, and no request at all while a host has asked for a pause.
 *
 * A slot is held from before the request until its body ends, and not while backing off, since every try asks
 * for its own. First come, first served within a host, but for guesses, which let all others go first; between hosts in turn, so that a host with a long queue
 * does not starve the others.
 *
 * @packageDocumentation
 */
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

interface Host {
  active: number;
  /** When its next request may start. */
  readyAt: number;
  readonly waiting: Set<() => void>;
  /** Those who let all others of the host go first. */
  readonly patient: Set<() => void>;
  /** Set while a timer runs for `readyAt`. */
  alarm: AbortController | undefined;
}

export class Politeness {
  readonly #options: PolitenessOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #hosts = new Map<string, Host>();
  #active = 0;

  constructor(options: PolitenessOptions, clock: Clock, random: () => number = Math.random) {
    this.#options = options;
    this.#clock = clock;
    this.#random = random;
  }

  /** Waits for a slot; resolves with the function that gives it back. Rejects with the signal's reason. */
  enter(hostName: string, signal: AbortSignal, isPatient = false): Promise<() => void> {
    const host = this.#host(hostName);
    const line = isPatient ? host.patient : host.waiting;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(this.#occupy(hostName, host));
      };
      const leave = (): void => {
        line.delete(start);
        this.#tidy(hostName, host);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      line.add(start);
      this.#admit();
    });
  }

  /** Lets no request to a host start before `ms` from now. */
  pause(hostName: string, ms: number): void {
    const host = this.#host(hostName);
    host.readyAt = Math.max(host.readyAt, this.#clock.now() + ms);
  }

  #host(name: string): Host {
    let host = this.#hosts.get(name);
    if (host === undefined) {
      host = { active: 0, readyAt: 0, waiting: new Set(), patient: new Set(), alarm: undefined };
      this.#hosts.set(name, host);
    }
    return host;
  }

  #occupy(name: string, host: Host): () => void {
    host.active++;
    this.#active++;
    const { waitMs, randomWait } = this.#options;
    const wait = randomWait ? waitMs * (0.5 + this.#random()) : waitMs;
    host.readyAt = Math.max(host.readyAt, this.#clock.now() + wait);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      host.active--;
      this.#active--;
      this.#tidy(name, host);
      this.#admit();
    };
  }

  /** Starts whoever may start. */
  #admit(): void {
    for (let admitted = true; admitted; ) {
      admitted = false;
      for (const [name, host] of [...this.#hosts]) {
        if (this.#active >= this.#options.concurrency) return;
        const line = host.waiting.size > 0 ? host.waiting : host.patient;
        if (line.size === 0 || host.active >= this.#options.perHostConcurrency) continue;
        const early = host.readyAt - this.#clock.now();
        if (early > 0) {
          this.#setAlarm(name, host, early);
          continue;
        }
        const [start] = line;
        line.delete(start!);
        // To the end of the line: hosts take turns.
        this.#hosts.delete(name);
        this.#hosts.set(name, host);
        start!();
        admitted = true;
      }
    }
  }

  #setAlarm(name: string, host: Host, ms: number): void {
    if (host.alarm !== undefined) return;
    const alarm = new AbortController();
    host.alarm = alarm;
    this.#clock.sleep(ms, alarm.signal).then(
      () => {
        host.alarm = undefined;
        this.#admit();
        this.#tidy(name, host);
      },
      () => {
        host.alarm = undefined;
      },
    );
  }

  /** With nobody waiting there is no timer (it would keep the process alive) and, once idle, no entry. */
  #tidy(name: string, host: Host): void {
    if (host.waiting.size + host.patient.size > 0) return;
    host.alarm?.abort();
    if (host.active === 0 && host.readyAt <= this.#clock.now()) this.#hosts.delete(name);
  }
}

/** Holds a slot of the host until the body ends; a `Retry-After` pauses the whole host. */
export const withPoliteness =
  (politeness: Politeness, clock: Clock): Concern =>
  (next) =>
  async (url, scope) => {
    const leave = await politeness.enter(url.host, scope.signal, scope.isPatient);
    try {
      scope.onTurn();
      const reply = await next(url, scope);
      const pause = isPassingStatus(reply.status)
        ? retryAfterMs(reply.header('retry-after'), clock.now())
        : undefined;
      if (pause !== undefined && pause <= LONGEST_RETRY_AFTER_MS) politeness.pause(url.host, pause);
      return { ...reply, body: onBodyEnd(reply.body, leave) };
    } catch (error) {
      leave();
      throw error;
    }
  };
