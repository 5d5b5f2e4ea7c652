/**
 * How many requests one address has in flight: thousands of sites may be on one machine, each under a name of its own.
 *
 * @packageDocumentation
 */

interface Address<Waiter> {
  active: number;
  /** Those that wait for nothing but a request of the address to end, in order. */
  readonly blocked: Set<Waiter>;
}

/** Counts requests by address. Without an address there is no limit. */
export class AddressSlots<Waiter> {
  readonly #most: number;
  readonly #addresses = new Map<string, Address<Waiter>>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Whether a request may start; if not, `waiter` is offered the next slot that becomes free. */
  isFree(name: string | undefined, waiter: Waiter): boolean {
    const address = name === undefined ? undefined : this.#addresses.get(name);
    if (address === undefined || address.active < this.#most) return true;
    address.blocked.add(waiter);
    return false;
  }

  /** The waiter no longer needs a slot. */
  withdraw(name: string | undefined, waiter: Waiter): void {
    if (name !== undefined) this.#addresses.get(name)?.blocked.delete(waiter);
  }

  take(name: string | undefined): void {
    if (name === undefined) return;
    const address = this.#addresses.get(name) ?? { active: 0, blocked: new Set() };
    address.active++;
    this.#addresses.set(name, address);
  }

  /** Gives a slot back, and offers it to those that wait, until one accepts. */
  give(name: string | undefined, offer: (waiter: Waiter) => boolean): void {
    const address = name === undefined ? undefined : this.#addresses.get(name);
    if (name === undefined || address === undefined) return;
    address.active--;
    for (const waiter of address.blocked) {
      address.blocked.delete(waiter);
      if (offer(waiter)) return;
    }
    if (address.active === 0) this.#addresses.delete(name);
  }
}
