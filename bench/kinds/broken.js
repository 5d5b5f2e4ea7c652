/** Broken documents, each read on its own: what is found counts, not the time. */
import { readFileSync } from 'node:fs';
import { stderr } from 'node:process';
import { brokenUrlsets } from '../documents/broken.js';
import { documentsOf } from '../documents/store.js';
import { readAlone } from '../measure/processes.js';
import { withSites } from '../site-server.js';

const LOC = /<loc>(.*)<\/loc>/g;

/** For each contestant what it found, in all and in each document; once, since chance has no part in it. */
export async function measureBroken({ name, contestants }) {
  const documents = brokenUrlsets();
  const sound = soundUrlset();
  const files = [sound, ...documents].map(({ file }) => file);
  const disagreements = [];
  const results = await withSites([{ files }], async ([homepage]) => {
    const served = [sound, ...documents].map((document, index) => ({
      ...document,
      url: `${homepage}sitemap-${index + 1}.xml`,
    }));
    const found = [];
    for (const contestant of contestants) {
      stderr.write(`${name}: ${contestant.id}\n`);
      const [control, ...readings] = await readAll(contestant, served);
      disagreements.push(...doubts(contestant, control, readings));
      found.push({ ...contestant, ...summaryOf(control, readings) });
    }
    return found;
  });
  return {
    contestants: results,
    disagreements,
    fileCount: documents.length,
    pageCount: sum(documents.map(({ urls }) => urls.length)),
  };
}

/** One that nothing is wrong with. */
function soundUrlset() {
  const [file] = documentsOf({ format: 'urlset', entries: 1, count: 1 }).files;
  const urls = Array.from(readFileSync(file, 'utf8').matchAll(LOC), ([, url]) => url);
  return { name: 'sound', file, urls };
}

async function readAll({ module, task, over }, documents) {
  const readings = [];
  for (const { name, file, url, urls } of documents) {
    const work = over === 'memory' ? { inMemory: true, files: [file] } : { url };
    const { urls: given, ...about } = await readAlone({ module, task, work });
    const missing = urls.filter((expected) => !given.includes(expected));
    const wrong = given.filter((one) => !urls.includes(one));
    readings.push({ document: name, found: urls.length - missing.length, missing, wrong, ...about });
  }
  return readings;
}

/** Whether its figures are its own: who is not installed, or not used as it wants to be, finds nothing either. */
function doubts({ id }, control, readings) {
  const unstarted = [control, ...readings].find(({ name }) => name === undefined);
  if (unstarted !== undefined) return [`${id} could not be started: ${unstarted.failure}.`];
  if (control.missing.length === 0) return [];
  return [`${id} did not read a sound sitemap: ${control.failure ?? 'it found nothing'}.`];
}

function summaryOf({ name, version }, readings) {
  return {
    name,
    version,
    filesRead: readings.filter(({ missing }) => missing.length === 0).length,
    pagesFound: sum(readings.map(({ found }) => found)),
    wrongEntries: sum(readings.map(({ wrong }) => wrong.length)),
    readings: readings.map(({ name: _, version: __, ...reading }) => reading),
  };
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
