/** No promise may be rejected without anyone to hear of it, in a file of tests. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect } from 'vitest';

export function expectNoRejections(): void {
  const rejections: unknown[] = [];
  const note = (reason: unknown): void => void rejections.push(reason);
  beforeAll(() => void process.on('unhandledRejection', note));
  afterAll(async () => {
    await delay(50);
    process.off('unhandledRejection', note);
    expect(rejections).toEqual([]);
  });
}
