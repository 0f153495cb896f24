import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('goes on when the program that read its output has ended', async () => {
  const source = `
    import { ignoreClosedOutput } from ${JSON.stringify(join(import.meta.dirname, 'console.ts'))};
    ignoreClosedOutput(process.stdout);
    process.stdin.once('data', () => {
      process.stdout.write('a line that nothing reads', () => setImmediate(() => process.exit(7)));
    });
    console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  await once(child.stdout, 'close');
  child.stdin.write('go on\n');
  expect(await once(child, 'exit')).toEqual([7, null]);
});
