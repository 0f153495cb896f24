import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { readReplaced, replaceFile } from './replaced-file.ts';

function newFile(): string {
  const directory = mkdtempSync(join(tmpdir(), 'replaced-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return join(directory, 'state.json');
}

test('a file is missing before it is first written, and has the last text afterwards', () => {
  const file = newFile();
  expect(readReplaced(file)).toBeUndefined();
  for (const text of ['one', 'two', 'three']) {
    replaceFile(file, text);
    expect(readReplaced(file)).toBe(text);
  }
});

test('the last complete text is found between the two renames, and replaced from there', () => {
  const file = newFile();
  replaceFile(file, 'kept');
  renameSync(file, `${file}.old`);
  writeFileSync(`${file}.new`, 'unfinis');
  expect(readReplaced(file)).toBe('kept');
  replaceFile(file, 'next');
  expect(readReplaced(file)).toBe('next');
});

test('an error other than a missing file is not taken for one', () => {
  const file = newFile();
  mkdirSync(file);
  expect(() => readReplaced(file)).toThrow('EISDIR');
});

test('a process that is killed at any moment leaves a complete text, never an older one than it has reported', async () => {
  const file = newFile();
  const source = `import { replaceFile } from ${JSON.stringify(join(import.meta.dirname, 'replaced-file.ts'))};
    for (let number = Number(process.argv[2]); ; number += 1) {
      replaceFile(process.argv[1], JSON.stringify({ number, filling: 'x'.repeat(50_000) }));
      process.stdout.write(number + '\\n');
    }`;
  let reported = 0;
  for (let round = 0; round < 10; round += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', source, file, `${reported + 1}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    await once(child.stdout, 'data');
    await sleep(round * 3);
    child.kill('SIGKILL');
    await once(child, 'close');
    // What follows the last line break may be a number cut off.
    const { number } = JSON.parse(readReplaced(file) ?? '{}');
    expect(number).toBeGreaterThanOrEqual(Number(output.split('\n').at(-2)));
    reported = number;
  }
});
