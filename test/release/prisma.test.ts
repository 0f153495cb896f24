import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { startDsql } from '../../local/emulators/dsql/dsql.ts';
import { createDatabases } from '../../providers/databases/databases.ts';
import { authToken, connectionUrl } from '../../providers/databases/token.ts';

/** Prisma, unchanged, with a database of the local run. It is large and generates code, so it is no dependency. */

const folder = mkdtempSync(join(tmpdir(), 'prisma-'));
const dsql = await startDsql({ dataDir: folder, region: 'eu-west-1', accountId: '000000000000', createFor: 0 });
afterAll(async () => {
  await dsql.stop();
  rmSync(folder, { recursive: true, force: true });
}, 120_000);

const run = promisify(execFile);

test('Prisma reads and writes relations, in transactions, and knows a violated constraint', async () => {
  const project = join(folder, 'project');
  cpSync(join(import.meta.dirname, 'prisma'), project, { recursive: true });
  writeFileSync(join(project, 'package.json'), '{"private": true, "type": "module"}');
  const packages = ['prisma@7.10.1', '@prisma/client@7.10.0', '@prisma/adapter-pg@7.10.1'];
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages], {
    cwd: project,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  // Generating needs no engine, but Prisma downloads one unless it is told where one is.
  const PRISMA_SCHEMA_ENGINE_BINARY = process.execPath;
  await run(process.execPath, ['node_modules/prisma/build/index.js', 'generate', '--schema', 'schema.prisma'], {
    cwd: project,
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY },
  });

  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DSQL: dsql.url,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });
  const { host, port } = await createDatabases('eu-west-1', '').create('db_1', 'arn:x');
  const administrator = { accessKeyId: 'local', secretAccessKey: 'local' };
  const { stdout } = await run(process.execPath, ['use.js'], {
    cwd: project,
    env: {
      ...process.env,
      DATABASE_URL: connectionUrl({ host, port }, authToken({ host, region: 'eu-west-1' }, administrator, 3600)),
      NODE_EXTRA_CA_CERTS: join(folder, 'databases/certificate.pem'),
    },
  });
  expect(JSON.parse(stdout)).toEqual({
    violation: 'P2002',
    undone: 'undo',
    references: 'P2003',
    posts: [{ title: 'four' }, { title: 'one' }],
  });
}, 300_000);
