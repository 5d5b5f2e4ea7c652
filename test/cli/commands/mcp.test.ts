/** §17: `usp mcp` from its command line: the times that it takes, and how it ends. Its tools are in test/mcp. */
import { describe, expect, test } from 'vitest';
import { usp } from '../../support/cli-world.ts';

describe('usp mcp', () => {
  // The server takes whole milliseconds; 1.001 * 1000 is less than 1001.
  test.each([
    ['--keep', '0'],
    ['--keep', '0.00001'],
    ['--keep', '0.30001'],
    ['--call-time', '0.001'],
    ['--call-time', '1.001'],
    ['--call-time', '0.0015'],
  ])('takes %s %s, and ends with 0 where stdin ends', async (flag, time) => {
    expect(await usp(['mcp', flag, time])).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  test('says on a terminal that agents start it', async () => {
    const { code, stdout, stderr } = await usp(['mcp'], { isTerminal: { stdin: true } });
    const hint = 'hint: this is a server for agents, which start it themselves; Ctrl-D ends it.\n';
    expect([code, stdout, stderr]).toEqual([0, '', hint]);
  });
});
