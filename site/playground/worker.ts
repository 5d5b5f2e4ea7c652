/** The worker of the playground: everything that takes time happens here. */
import type { Reply, Request } from './messages.ts';
import { Session } from './session.ts';

const session = new Session();
let latest = 0;

function reply(message: Reply): void {
  self.postMessage(message);
}

async function run(request: Extract<Request, { type: 'read' }>): Promise<void> {
  const { run, input, columns } = request;
  latest = run;
  try {
    const result = await session.run(input, columns, {
      isCurrent: () => latest === run,
      onProgress: (name, items) => reply({ type: 'progress', run, name, items }),
      onRead: (read) => reply({ type: 'read', run, result: read }),
    });
    if (result !== undefined) reply({ type: 'done', run, result });
  } catch (error) {
    reply({ type: 'failed', run, message: error instanceof Error ? error.message : String(error) });
  }
}

function answer(request: Exclude<Request, { type: 'read' }>): unknown {
  switch (request.type) {
    case 'rows':
      return session.rows(request.list, request.document, request.severity, request.from, request.to);
    case 'row-at':
      return session.place(request.document, request.offset);
    case 'wrap':
      return session.wrap(request.columns);
    case 'text':
      return session.text(request.document);
    case 'json':
      return session.json(request.document);
    case 'repair':
      return session.repair(request.document);
    case 'mark':
      return session.mark(request.list);
  }
}

self.addEventListener('message', ({ data }: MessageEvent<Request>) => {
  if (data.type === 'read') void run(data);
  else reply({ type: 'answer', call: data.call, value: answer(data) });
});
