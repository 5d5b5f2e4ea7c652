/** The page's side of the worker. */
import type { Input, Reply, Request, RunResult } from './messages.ts';

/** What a call asks for, without its number. */
type Question = Request extends infer Each
  ? Each extends { readonly call: number }
    ? Omit<Each, 'call'>
    : never
  : never;

/** What the page hears of. */
export interface ClientEvents {
  onProgress(name: string, items: number): void;
  /** The documents can be shown; they are still being checked. */
  onRead(result: RunResult): void;
  onDone(result: RunResult): void;
  onFailed(message: string): void;
}

/** Talks to one worker. */
export class WorkerClient {
  readonly #worker: Worker;
  readonly #events: ClientEvents;
  readonly #waiting = new Map<number, (value: unknown) => void>();
  #calls = 0;
  #run = 0;

  constructor(events: ClientEvents) {
    this.#events = events;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    this.#worker.addEventListener('message', ({ data }: MessageEvent<Reply>) => this.#hear(data));
    this.#worker.addEventListener('error', ({ message }) =>
      events.onFailed(message || 'The worker of this page could not be started. Reload the page.'),
    );
  }

  /** Reads and checks; of several runs only the last is reported. */
  read(input: Input, columns: number): void {
    this.#run++;
    this.#post({ type: 'read', run: this.#run, input, columns });
  }

  /** Asks for something. The caller knows the type of the answer: see `worker.ts`. */
  ask<Answer>(question: Question): Promise<Answer> {
    const call = ++this.#calls;
    return new Promise((resolve) => {
      this.#waiting.set(call, (value) => resolve(value as Answer));
      this.#post({ ...question, call });
    });
  }

  /** Hears no more of the run that is going on. */
  forget(): void {
    this.#run++;
  }

  close(): void {
    this.#worker.terminate();
  }

  #post(request: Request): void {
    this.#worker.postMessage(request);
  }

  #hear(reply: Reply): void {
    if (reply.type === 'answer') {
      this.#waiting.get(reply.call)?.(reply.value);
      this.#waiting.delete(reply.call);
    } else if (reply.run === this.#run) {
      if (reply.type === 'progress') this.#events.onProgress(reply.name, reply.items);
      else if (reply.type === 'read') this.#events.onRead(reply.result);
      else if (reply.type === 'done') this.#events.onDone(reply.result);
      else this.#events.onFailed(reply.message);
    }
  }
}
