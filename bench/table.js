/** Results as a table in Markdown that reads well as plain text too. */

const COLUMNS = [
  ['', ({ name, version }) => `${name} ${version}`],
  ['time', ({ seconds }) => `${seconds.toFixed(3)} s`],
  ['pages/s', ({ pagesPerSecond }) => Math.round(pagesPerSecond).toLocaleString('en')],
  ['MB/s', ({ megabytesPerSecond }) => megabytesPerSecond.toFixed(1)],
  ['peak RSS', ({ peakBytes }) => `${Math.round(peakBytes / 2 ** 20)} MiB`],
  ['time / ours', ({ timesOurs }) => `${timesOurs.toFixed(1)} ×`],
  ['CPU', ({ cpuSeconds }) => `${cpuSeconds.toFixed(3)} s`],
  ['CPU / ours', ({ cpuTimesOurs }) => `${cpuTimesOurs.toFixed(1)} ×`],
];

export function tableOf(contestants) {
  const rows = contestants.map((contestant) => COLUMNS.map(([, cell]) => cell(contestant)));
  const head = COLUMNS.map(([title]) => title);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column].length)),
  );
  // Names to the left, figures to the right.
  const padded = (cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]));
  const line = (cells) => `| ${cells.map(padded).join(' | ')} |`;
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
