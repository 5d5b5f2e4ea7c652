/** Results as tables in Markdown that read well as plain text too. */

const WHO = ['', nameOf];
const TIME = ['time', ({ seconds, failure }) => failure ?? `${seconds.toFixed(3)} s`];
const CPU = ['CPU', figure('cpuSeconds', (seconds) => `${seconds.toFixed(3)} s`)];
const PEAK = ['peak RSS', figure('peakBytes', mebibytes)];
const RATIO = ['time / ours', figure('timesOurs', spread)];
const CPU_RATIO = ['CPU / ours', figure('cpuTimesOurs', spread)];

/** Of steps that are compared with another one. */
const STEPS = [
  ...[WHO, TIME, CPU, PEAK],
  ['time ratio', figure('timesOurs', spread)],
  ['CPU ratio', figure('cpuTimesOurs', spread)],
];

const COLUMNS = {
  pages: () => [
    WHO,
    TIME,
    CPU,
    ['pages/s', figure('pagesPerSecond', (rate) => Math.round(rate).toLocaleString('en'))],
    ['MB/s', figure('megabytesPerSecond', (rate) => rate.toFixed(1))],
    PEAK,
    RATIO,
    CPU_RATIO,
  ],
  write: () => [
    WHO,
    TIME,
    CPU,
    ['pages/s', figure('pagesPerSecond', (rate) => Math.round(rate).toLocaleString('en'))],
    ['on disk', figure('diskBytes', (bytes) => `${(bytes / 1e6).toFixed(1)} MB`)],
    PEAK,
    RATIO,
    CPU_RATIO,
  ],
  diff: () => STEPS,
  archive: () => STEPS,
  update: () => [
    ...STEPS,
    ['bytes received', figure('bytes', (bytes) => Math.round(bytes).toLocaleString('en'))],
  ],
  'start-up': () => [WHO, TIME, CPU, PEAK, RATIO, CPU_RATIO],
  memory: ({ counts }) => [
    WHO,
    ...counts.map((count, index) => [`${count}`, ({ peaks }) => mebibytes(peaks[index])]),
    ...(counts.length < 3 ? [] : [[`${counts[2]} / ${counts[1]}`, ({ growth }) => `${growth.toFixed(2)} ×`]]),
  ],
  'many-sites': () => [
    WHO,
    ['sites/s', figure('sitesPerSecond', (rate) => Math.round(rate).toLocaleString('en'))],
    ['CPU per site', figure('cpuMillisecondsPerSite', (milliseconds) => `${milliseconds.toFixed(2)} ms`)],
    ['peak RSS of a process', figure('peakBytes', mebibytes)],
    ['RSS over time', figure('memoryOverTime', (curve) => curve.map(mebibytes).join(', '))],
    ['open files', figure('openFiles', String)],
    ['Redis: calls per site', figure('redisCallsPerSite', (calls) => calls.toFixed(2))],
    ['commands per site', figure('redisCommandsPerSite', (commands) => commands.toFixed(1))],
    ['bytes per site', figure('redisBytesPerSite', (bytes) => Math.round(bytes).toLocaleString('en'))],
    TIME,
  ],
  trouble: ({ pageCount }) => [
    WHO,
    [`found, of ${pageCount} pages`, figure('count', String)],
    ['requests', figure('requests', String)],
    ['refused', figure('refused', String)],
    TIME,
  ],
  broken: ({ fileCount, pageCount, contestants }) => [
    WHO,
    [`read completely, of ${fileCount} files`, figure('filesRead', String)],
    [`found, of ${pageCount} pages`, figure('pagesFound', String)],
    ...(contestants.some(({ wrongEntries }) => wrongEntries > 0)
      ? [['wrong entries', figure('wrongEntries', String)]]
      : []),
  ],
};

/** A scenario's table, its notes, and what was found. */
export function reportOf(scenario) {
  const { kind, title, contestants, disagreements, found, absent = [] } = scenario;
  const notes = [...new Set(contestants.map(({ note }) => note).filter(Boolean))];
  const marked = contestants.map((contestant) => ({ ...contestant, mark: markOf(contestant, notes) }));
  const sameFound =
    found &&
    `${contestants.some(({ isUnreliable }) => isUnreliable) ? 'All others' : 'All'} found the same: ${found.pages.toLocaleString('en')} pages${found.checksum === undefined ? '' : `, checksum ${found.checksum}`}.`;
  const verdict = disagreements.length > 0 ? disagreements.join('\n') : sameFound;
  const lines = [
    title,
    tableOf(COLUMNS[kind](scenario), marked),
    [...notes.map((note, index) => `${markAt(index)} ${note}`)].join('\n'),
    absent.length > 0 && `Not on this machine: ${absent.join(', ')}.`,
    verdict,
  ];
  return lines.filter(Boolean).join('\n\n');
}

function tableOf(columns, rows) {
  const head = columns.map(([title]) => title);
  const cells = rows.map((row) => columns.map(([, cell]) => cell(row)));
  const widths = head.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => row[column].length)),
  );
  // Names to the left, figures to the right.
  const padded = (cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]));
  const line = (row) => `| ${row.map(padded).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...cells.map(line)].join('\n');
}

function nameOf({ id, name, version, label, mark }) {
  const who =
    name === undefined ? (label ?? id) : `${name} ${version}${label === undefined ? '' : `, ${label}`}`;
  return mark === '' ? who : `${who} ${mark}`;
}

function markOf({ note }, notes) {
  return note === undefined ? '' : markAt(notes.indexOf(note));
}

function markAt(index) {
  return `[${index + 1}]`;
}

function figure(name, format) {
  return (row) => (row[name] === undefined || Number.isNaN(row[name]) ? '–' : format(row[name]));
}

function mebibytes(bytes) {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

/** The ratio in the middle, and the quartiles; a wide spread is named. */
function spread({ median, low, high, turns, isWide }) {
  const number = (ratio) => ratio.toFixed(ratio < 10 ? 2 : 1);
  if (turns === 1) return `${number(median)} × (once)`;
  return `${number(median)} × (${number(low)}–${number(high)}${isWide ? ', wide' : ''})`;
}
