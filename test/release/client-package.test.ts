import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { local } from '../support/harness.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'client-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (command: string, args: string[], cwd = folder) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

const PROGRAM = `import { createClient } from 'hosting-platform-client';
const client = createClient({ baseUrl: process.argv[2] ?? '', secretKey: process.argv[3] ?? '' });
const { email, walletBalance } = await client.getAccount();
const names: string[] = [];
for await (const { name } of client.listApps()) names.push(name);
console.log(email.length > 0 && walletBalance.endsWith('00'));
`;

test('the packed client installs without dependencies, is typed, and runs against the platform', () => {
  run('npm', ['pack', './client', '--silent', '--pack-destination', folder], ROOT);
  const { version } = JSON.parse(readFileSync(join(ROOT, 'client/package.json'), 'utf8')) as { version: string };
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./hosting-platform-client-${version}.tgz`]);
  expect(run('ls', ['node_modules']).trim()).toBe('hosting-platform-client');

  writeFileSync(join(folder, 'good.ts'), PROGRAM);
  writeFileSync(join(folder, 'bad.ts'), PROGRAM.replace('walletBalance.endsWith', 'walletBalance.toFixed'));
  const compile = (file: string) => {
    const options = [
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
      '--skipLibCheck',
      'false',
    ];
    const typeRoots = ['--typeRoots', join(ROOT, 'node_modules/@types')];
    return run(join(ROOT, 'node_modules/.bin/tsc'), [...options, ...typeRoots, file]);
  };
  compile('good.ts');
  expect(() => compile('bad.ts')).toThrow();
  const said = run(process.execPath, ['good.js', local.baseUrl, local.accounts.demo.secretKey]);
  expect(said.trim()).toBe('true');
}, 180_000);
