import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { entriesOf } from '../../test/support/archive.ts';
import type { Start } from '../detect/existing-start.ts';
import { pack } from './archive.ts';

const directory = mkdtempSync(join(tmpdir(), 'archive-'));
afterAll(() => rmSync(directory, { recursive: true }));

const start: Start = { kind: 'node', directory: '', options: [], file: '0.js', args: [], environment: {} };
const program = Buffer.from('program');
const service = {
  job: { variables: {}, env: undefined, databases: [] } as never,
  start,
  directory: '',
  modules: { environment: program, launch: program, preload: program, siteServer: program },
  release: { deploymentId: 'dep_1', commitSha: 'abc' },
};

test('the same files produce the same archive, whichever is compressed first', async () => {
  const names = Array.from({ length: 100 }, (_, index) => `${index}.js`);
  // Large files take a thread of their own, small ones do not wait for it.
  for (const [index, name] of names.entries())
    writeFileSync(join(directory, name), randomBytes(index % 10 === 0 ? 300_000 : 100));
  const items = names.map((path) => ({ path, source: join(directory, path), size: 100, executable: false }));
  const archives = await Promise.all([0, 1].map(() => pack(items, service)));
  const [paths = []] = await Promise.all(archives.map(async (each) => [...(await entriesOf(each)).keys()]));
  expect(paths.filter((path) => path.endsWith('.js'))).toEqual(names);
  expect(archives[0]?.equals(archives[1] ?? Buffer.alloc(0))).toBe(true);
});

test('a file with a password of the build does not become part of a release, and the release has no passwords', async () => {
  const password = `abc.on.aws/?X-Amz-Signature=${'0a'.repeat(32)}`;
  const databases = [{ prefix: 'DATABASE_MAIN', host: 'abc.on.aws', region: 'eu-west-1' }];
  const job = { variables: {}, env: null, databases, databasePasswords: { DATABASE_MAIN: password } } as never;
  const packed = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
    return pack([{ path: name, source: join(directory, name), size: 1, executable: false }], { ...service, job });
  };
  await expect(packed('config.js', `export const url = '${password}';`)).rejects.toThrow(
    /password of .* into config\.js/,
  );
  const files = await entriesOf(await packed('server.js', 'process.env.DATABASE_URL'));
  expect(JSON.parse(files.get('.service/databases.json') ?? '')).toEqual(databases);
  expect([...files.values()].join()).not.toContain('X-Amz-Signature');
});
