/** npm as a child process, on every system. */

/**
 * The command and its arguments. On Windows npm is a batch file, which only a shell can run; a script of npm knows
 * npm's own file.
 */
export function npmCommand(...argv) {
  const { npm_execpath: file } = process.env;
  if (file !== undefined && /npm-cli\.c?js$/.test(file)) return [process.execPath, [file, ...argv]];
  if (process.platform !== 'win32') return ['npm', argv, {}];
  // A shell gets its words as one line.
  return ['npm', argv.map((word) => (/\s/.test(word) ? `"${word}"` : word)), { shell: true }];
}
