import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleInto } from '../../local/lambda/bundle-cache.ts';
import { freePort } from '../../local/processes/ports.ts';
import { nodeBinaries } from '../../local/runtimes/node-binary.ts';
import type { Start } from '../detect/existing-start.ts';
import { runScript } from '../package/archive.ts';

/** A directory whose name needs quotes. */
const root = mkdtempSync(join(tmpdir(), 'a release '));

beforeAll(async () => {
  await bundleInto(join(root, 'bundles'));
  cpSync(join(root, 'bundles/builder'), join(root, '.service'), { recursive: true });
  const files = {
    // As ts-node, esbuild-register and @babel/register compile.
    'register.cjs': `const { transformSync } = require(${JSON.stringify(import.meta.resolve('esbuild').replace('file://', ''))});
      require.extensions['.ts'] = (module, file) => module._compile(
        transformSync(require('node:fs').readFileSync(file, 'utf8'), { loader: 'ts', format: 'cjs' }).code, file);`,
    'src/index.ts': `import { Color } from './colors';\nconsole.log(Color.Red, process.env.GREETING);\n`,
    'src/colors.ts': `export enum Color { Red = 'red' }\n`,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});
afterAll(() => rmSync(root, { recursive: true }));

/** Starts a release on a version of Node and returns what it prints. */
async function start(node: string, what: Start, environment: Record<string, string> = {}): Promise<string> {
  writeFileSync(join(root, 'run.sh'), runScript(what, ''));
  const PATH = [dirname(node), process.env.PATH].join(delimiter);
  const { stdout } = await promisify(execFile)('sh', ['run.sh'], { cwd: root, env: { PATH, ...environment } });
  return stdout.trim();
}

test('prepares the process that serves, with and without a shell', async () => {
  writeFileSync(
    join(root, 'serve.cjs'),
    `const { createServer } = require('node:http');
    const server = createServer((request, response) => response.end()).listen(process.env.PORT, async () => {
      const response = await fetch('http://127.0.0.1:' + process.env.PORT, { headers: { 'x-forwarded-host': 'visited' } });
      await response.text();
      setImmediate(() => server.close());
    });`,
  );
  const file: Start = { kind: 'node', directory: '', options: [], file: 'serve.cjs', args: [], environment: {} };
  for (const what of [file, { kind: 'shell', directory: '', command: 'true && node serve.cjs' } as const]) {
    expect(await start(process.execPath, what, { PORT: String(await freePort()) })).toContain('"method":"GET"');
  }
});

const versions = Object.entries(nodeBinaries());

test.each(versions)('Node %s compiles files as the modules do that its options require', async (_version, node) => {
  const base = { kind: 'node', directory: '', args: [], environment: { GREETING: 'hello' } } as const;
  const required: Start = { ...base, file: 'src/index.ts', options: ['--require', './register.cjs'] };
  expect(await start(node, required)).toBe('red hello');
  const shell: Start = {
    kind: 'shell',
    directory: '',
    command: 'GREETING=hello node -r ./register.cjs src/index.ts | cat',
  };
  expect(await start(node, shell)).toBe('red hello');
});
