/**
 * One contestant at one document, in a process of its own: tells whoever started it of each page as soon as it is
 * handed over, so that nothing of that is lost with who fails or never ends. Started by alone.js, with the job as JSON.
 */
import { readFileSync } from 'node:fs';
import { argv } from 'node:process';

// Whoever started it is gone, however it went.
process.on('disconnect', () => process.exit());

const { module, task, work } = JSON.parse(argv[2]);
const contestant = await import(`../contestants/${module}`);
if (work.inMemory) work.documents = work.files.map((file) => readFileSync(file));
await say({ type: 'start', name: contestant.name, version: contestant.version });

let failure;
try {
  await contestant[task](work, { page: (url) => process.send({ type: 'page', url }) });
} catch (error) {
  failure = `${error}`.split('\n')[0];
}
await say({ type: 'result', failure });
process.exit();

function say(message) {
  return new Promise((resolve, reject) => {
    process.send(message, (error) => (error === null ? resolve() : reject(error)));
  });
}
