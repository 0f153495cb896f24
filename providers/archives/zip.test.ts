import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { entriesOf } from '../../test/support/archive.ts';
import { createZip, packContentThreaded, readPackedFile, replacePackedFile } from './zip.ts';

const FILE = 0o100644;
const packed = (files: Record<string, string>) => {
  const zip = createZip();
  for (const [path, content] of Object.entries(files)) zip.add(path, Buffer.from(content), FILE);
  return zip.end();
};

test('replaces a file of an archive and keeps the others unchanged', async () => {
  const long = 'variables '.repeat(500);
  const before = packed({ 'run.sh': '#!/bin/sh', '.service/env.json': long, 'ü/server.js': 'serve()' });
  expect(readPackedFile(before, '.service/env.json')?.toString()).toBe(long);
  const once = replacePackedFile(before, '.service/env.json', Buffer.from('{"a":1}'), FILE);
  const twice = replacePackedFile(once, '.service/env.json', Buffer.from('{"a":2}'), FILE);
  expect(readPackedFile(twice, '.service/env.json')?.toString()).toBe('{"a":2}');
  expect(Object.fromEntries(await entriesOf(twice))).toEqual({
    'run.sh': '#!/bin/sh',
    '.service/env.json': '{"a":2}',
    'ü/server.js': 'serve()',
  });
});

test('a missing file is undefined, and invalid archives are errors', () => {
  expect(readPackedFile(packed({ a: 'b' }), '.service/env.json')).toBeUndefined();
  expect(() => readPackedFile(Buffer.from('not a ZIP, but long enough'), 'a')).toThrow('no archive');
});

test('content that another thread packs produces the same archive', async () => {
  const contents = [Buffer.alloc(0), Buffer.from('short'), Buffer.alloc(100_000, 'words '), randomBytes(100_000)];
  const [here, beside] = [createZip(), createZip()];
  for (const [name, content] of contents.entries()) {
    here.add(`${name}`, content, FILE);
    beside.add(`${name}`, await packContentThreaded(content), FILE);
  }
  expect(beside.end().equals(here.end())).toBe(true);
});

test('content that another thread packed keeps no more memory than the content', async () => {
  const { body } = await packContentThreaded(Buffer.alloc(100_000, 'words '));
  expect(body.length).toBeLessThan(10_000);
  expect(body.buffer.byteLength).toBeLessThanOrEqual(100_000);
});
