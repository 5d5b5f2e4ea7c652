// Removes the folders named on the command line: a build must not keep files whose source is gone.
import { rmSync } from 'node:fs';

for (const folder of process.argv.slice(2)) rmSync(folder, { recursive: true, force: true });
