import { execFileSync } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { refusePointers } from './clone/repository.ts';
import { BuildFailure } from './failure.ts';
import { installedPackages } from './install/development.ts';
import { MAX_TEXT_BYTES, readBeginning, readText } from './read-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'read-text-'));
afterAll(() => rmSync(folder, { recursive: true }));

function made(name: string, make: (file: string) => void): string {
  const file = join(folder, name);
  make(file);
  return file;
}
const sparse = (bytes: number) => (file: string) => {
  writeFileSync(file, '');
  truncateSync(file, bytes);
};

test('reads a regular file, also through a link', () => {
  const file = made('text', (at) => writeFileSync(at, 'größer\n'));
  expect(readText(file)).toBe('größer\n');
  expect(readText(made('link', (at) => symlinkSync('text', at)))).toBe('größer\n');
  expect(readBeginning(file, 2)).toBe('gr');
  expect(readText(made('largest', sparse(MAX_TEXT_BYTES)))).toHaveLength(MAX_TEXT_BYTES);
});

test.each<[string, (file: string) => void, RegExp]>([
  ['a device that never ends', (at) => symlinkSync('/dev/zero', at), /not a regular file/],
  ['a pipe that nothing writes into', (at) => void execFileSync('sh', ['-c', 'mkfifo "$0"', at]), /not a regular file/],
  ['a directory', (at) => mkdirSync(at), /not a regular file/],
  ['a file of any size', sparse(9 * 1024 ** 3), /larger than 64 MB/],
])('does not read %s', (name, make, message) => {
  const file = made(name, make);
  expect(() => readText(file)).toThrow(BuildFailure);
  expect(() => readText(file)).toThrow(message);
  expect(readBeginning(file, 10)).toBe(message.source.includes('regular') ? '' : '\0'.repeat(10));
});

test('does not read a .gitattributes that is a link to a device, as Git does not follow it', () => {
  const directory = made('repository', (at) => mkdirSync(at));
  symlinkSync('/dev/zero', join(directory, '.gitattributes'));
  const entry = { mode: '120000', size: 9, path: '.gitattributes' };
  expect(() => refusePointers(directory, [entry])).not.toThrow();
});

test.each(['{', 'null', '[]', '{"packages":[null]}', '{"packages":{"a":1}}'])(
  'a record of installed packages that an install script wrote is none: %s',
  (text) => {
    const directory = mkdtempSync(join(folder, 'installed-'));
    mkdirSync(join(directory, 'node_modules'));
    writeFileSync(join(directory, 'node_modules/.package-lock.json'), text);
    expect(installedPackages(directory)).toEqual([]);
  },
);

test('nothing else of the builder reads texts of repositories', () => {
  const sources = globSync('builder/{build,clone,detect,install,package}/*.ts').filter(
    (path) => !path.endsWith('.test.ts'),
  );
  expect(sources.length).toBeGreaterThan(30);
  const reading = sources.filter((path) => /\breadFile(Sync)?\(/.test(readFileSync(path, 'utf8')));
  // The files of the artifact, whose kind and size are known.
  expect(reading).toEqual(['builder/package/archive.ts']);
});
