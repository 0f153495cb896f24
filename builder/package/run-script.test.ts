import { expect, test } from 'vitest';
import { runScript } from './archive.ts';

const script = (start: Parameters<typeof runScript>[0], directory = '', variables: string[] = []) =>
  runScript(start, directory, variables)
    .split('\n')
    // Without the first line and the variables of each release.
    .slice(4, -1)
    .join('; ');
const node = { kind: 'node', directory: '', options: [], file: "it's.js", args: [], environment: {} } as const;

test('each release has the variables by which frameworks serve behind a proxy', () => {
  expect(runScript(node, '').split('\n').slice(0, 4)).toEqual([
    '#!/bin/sh',
    'export NODE_ENV=production HOST=0.0.0.0 HOSTNAME=0.0.0.0',
    'export PROTOCOL_HEADER=x-forwarded-proto',
    "export NG_ALLOWED_HOSTS='*' NG_TRUST_PROXY_HEADERS=x-forwarded-host,x-forwarded-proto,x-forwarded-port,x-forwarded-for",
  ]);
});

test('writes the script that the host runs', () => {
  expect(script(node)).toBe(`exec node --import ./.service/environment.mjs 'it'\\''s.js'`);
  const environment = { PORT: '3000', NODE_ENV: 'staging', NODE_OPTIONS: '--max-old-space-size=900' };
  expect(script({ ...node, file: 'a.js', environment })).toBe(
    'export NODE_ENV=staging; export NODE_OPTIONS="$NODE_OPTIONS "--max-old-space-size=900; exec node --import ./.service/environment.mjs a.js',
  );
  expect(script({ ...node, file: 'a.js', directory: 'backend' }, 'apps/api')).toBe(
    'cd apps/api/backend || exit 1; exec node --import ../../../.service/environment.mjs a.js',
  );
  expect(script({ ...node, file: 'a.ts', options: ['--require', 'ts-node/register'] })).toBe(
    "exec node --import ./.service/environment.mjs ./.service/launch.mjs 'node --require ts-node/register a.ts'",
  );
  const early = "exec node --import ./.service/environment.mjs ./.service/launch.mjs 'node a.js'";
  expect(script({ ...node, file: 'a.js' }, '', ['NODE_OPTIONS'])).toBe(early);
  expect(script({ ...node, file: 'a.js' }, '', ['NODE_EXTRA_CA_CERTS', 'TOKEN'])).toBe(early);
  expect(script({ ...node, file: 'a.js' }, '', ['TOKEN'])).toBe('exec node --import ./.service/environment.mjs a.js');
  expect(script({ ...node, file: 'a.js', environment: { A: '1', NODE_OPTIONS: '--import ./b.mjs' } })).toBe(
    `export A=1; exec node --import ./.service/environment.mjs ./.service/launch.mjs 'NODE_OPTIONS="$NODE_OPTIONS "'\\''--import ./b.mjs'\\'' node a.js'`,
  );
  // The application's variables override those of the start.
  expect(script({ ...node, file: 'a.js', environment: { NODE_OPTIONS: '--title=a' } }, '', ['NODE_OPTIONS'])).toBe(
    `export NODE_OPTIONS="$NODE_OPTIONS "--title=a; ${early}`,
  );
  expect(script({ kind: 'shell', directory: '', command: 'a && b' })).toBe(
    "exec node --import ./.service/environment.mjs ./.service/launch.mjs 'a && b'",
  );
  expect(script({ kind: 'site', directory: 'dist', single: true }, 'web')).toBe(
    'cd web || exit 1; exec node --import ../.service/environment.mjs ../.service/site-server.mjs dist --single',
  );
  expect(script({ kind: 'export', directory: '', module: 'dist/server.js', files: 'dist/client' })).toBe(
    'exec node --import ./.service/environment.mjs ./.service/site-server.mjs dist/client --handler=dist/server.js',
  );
});
