import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { freePort, reusePort } from './ports.ts';

const OTHER_PROCESS = `
  import { freePort } from ${JSON.stringify(new URL('./ports.ts', import.meta.url).href)};
  console.log(await freePort());
  process.stdin.resume();
`;

test('a port that one process has chosen and not opened is not given to another, until it ends', async () => {
  const other = spawn(process.execPath, ['--input-type=module', '--eval', OTHER_PROCESS], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = await once(createInterface({ input: other.stdout }), 'line');
  const port = Number(line);
  expect(await reusePort(port)).toBe(false);
  other.kill('SIGKILL');
  await once(other, 'exit');
  expect(await reusePort(port)).toBe(true);
});

test('calls at the same time return different ports', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  expect(new Set(ports).size).toBe(50);
});
