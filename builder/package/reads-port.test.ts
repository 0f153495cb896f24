import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Start } from '../detect/existing-start.ts';
import { readsPort } from './reads-port.ts';

const root = mkdtempSync(join(tmpdir(), 'reads-port-'));
afterAll(() => rmSync(root, { recursive: true }));

const starts = (file: string, args: string[] = []): Start => ({
  kind: 'node',
  directory: '',
  options: [],
  file,
  args,
  environment: {},
});
const own = starts('dist/index.js');
const fixed = { 'dist/index.js': 'app.listen(3000)' };

/** Writes files, and returns them as those of an artifact. */
const itemsOf = (files: Record<string, string>) =>
  Object.entries(files).map(([path, content], index) => {
    const source = join(mkdtempSync(join(root, `${index}-`)), path);
    mkdirSync(dirname(source), { recursive: true });
    writeFileSync(source, content);
    return { path, source, size: content.length, executable: false };
  });

test.each<[string, Start, Record<string, string>, boolean]>([
  ['a fixed port', own, fixed, false],
  ['a fixed port, and packages that read it', own, { ...fixed, 'node_modules/a/index.js': 'process.env.PORT' }, false],
  ['another variable', own, { 'dist/index.js': 'app.listen(process.env.APP_PORT ?? 3000)' }, false],
  ['text and lockfiles', own, { ...fixed, 'README.md': 'PORT', 'package-lock.json': '"PORT"' }, false],
  ['the variable', own, { 'dist/index.js': 'app.listen(process.env.PORT ?? 3000)' }, true],
  ['the variable in another file', own, { ...fixed, 'src/config.ts': 'env.int("PORT", 3000)' }, true],
  ['the variable in a configuration', own, { ...fixed, 'config/default.json': '{"port":{"__name":"PORT"}}' }, true],
  ['the variable in .env', own, { ...fixed, '.env.production': 'PORT=3000' }, true],
  ['the program of a package', starts('node_modules/fastify-cli/cli.js'), fixed, true],
  ['a program with arguments', starts('dist/index.js', ['--port', '3000']), fixed, true],
  ['a shell, which may start several servers', { kind: 'shell', directory: '', command: 'node a.js' }, fixed, true],
])('finds out whether an application reads its assigned port: %s', (_what, start, files, expected) => {
  expect(readsPort(start, itemsOf(files))).toBe(expected);
});
