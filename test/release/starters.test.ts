import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp, deleteApp, getApp } from '../../contract/apps/apps.ts';
import { createDeployment, getDeployment, listDeployments } from '../../contract/deployments/deployments.ts';
import { assetsOf, get } from '../support/browse.ts';
import { newAccount, type OpenedAccount, waitFor } from '../support/harness.ts';
import { type Run, startRun } from '../support/platform.ts';
import { commitTo } from '../support/repositories.ts';
import { filesOf, STARTERS } from '../support/starters/starters.ts';

/** Next.js and Nuxt starters as generated: nothing in the repository is specific to the platform. */
const root = mkdtempSync(join(tmpdir(), 'starters-'));
let run: Run;
let account: OpenedAccount;
beforeAll(async () => {
  run = await startRun({ DATA_DIR: ':memory:', LOCAL_GIT_ROOT: root, RATE_LIMIT_SECRET: '100000' });
  account = await newAccount({ appLimit: 100 }, run.local);
}, 240_000);
afterAll(async () => {
  await run?.stop();
  rmSync(root, { recursive: true, force: true });
}, 120_000);

const LONG = 240_000;
type Framework = 'NEXTJS' | 'NUXT';

/** Deploys `<root>/<name>.git` with the framework's defaults. Returns the responses of its front page and its assets. */
async function deployed(name: string, framework: Framework, more: string[] = []) {
  const repoUrl = `https://git.localhost/${name}.git`;
  const made = (await account.call(createApp, { body: { name, framework, repoUrl, deployNow: false } })).body.data;
  const begun = (await account.call(createDeployment, { params: { id: made.id } })).body.data;
  const deployment = await waitFor(async () => {
    const { data } = (await account.call(getDeployment, { params: { id: begun.id } })).body;
    return data.finishedAt !== null && data;
  }, 500);
  expect(deployment.status, deployment.log).toBe('SUCCEEDED');
  const page = await get(run.local.baseUrl, made.primaryDomain);
  const paths = [...new Set([...assetsOf(page.body), ...more])];
  const assets = await Promise.all(
    paths.map(async (path) => ({ path, ...(await get(run.local.baseUrl, made.primaryDomain, path)) })),
  );
  expect(assets.filter(({ status }) => status !== 200)).toEqual([]);
  return { page, types: new Set(assets.map(({ type }) => type)), log: deployment.log };
}

/** Commits an example's files and lockfile, with changes, as a repository. */
function startFrom(example: string, name: string, files: Record<string, string | Buffer>): void {
  const folder = join(root, `${name}.git`);
  cpSync(join('examples', example), folder, {
    recursive: true,
    filter: (path) => !/node_modules|\.next|\.output|\.nuxt/.test(path),
  });
  commitTo(folder, files);
}

/** Encodes a single-color image as PNG. */
function picture(side: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2], 8);
  const row = Buffer.concat([Buffer.alloc(1), Buffer.alloc(side * 3, 0x7f)]);
  const rows = deflateSync(Buffer.concat(Array.from({ length: side }, () => row)));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

test(
  'a Next.js application without output settings serves its page, styles, scripts, icon and optimized images',
  async () => {
    startFrom('hello-next', 'next-page', {
      'next.config.mjs': 'export default {};\n',
      'app/page.jsx': `import Image from 'next/image';
        import styles from './page.module.css';
        export default () => <main className={styles.main}><Image src="/picture.png" alt="" width={64} height={64} /></main>;`,
      'app/page.module.css': '.main { color: rebeccapurple }',
      'app/icon.png': picture(32),
      'public/picture.png': picture(64),
    });
    const { page, types } = await deployed('next-page', 'NEXTJS', ['/hello.txt', '/picture.png']);
    expect(page).toMatchObject({ status: 200, type: 'text/html' });
    expect(assetsOf(page.body).filter((path) => path.startsWith('/_next/image?'))).not.toEqual([]);
    expect([...types].sort()).toEqual(['application/javascript', 'image/png', 'text/css', 'text/plain']);
  },
  LONG,
);

test(
  'a Nuxt application serves its page, styles, scripts and public files',
  async () => {
    startFrom('hello-nuxt', 'nuxt-page', {
      'app/app.vue': `<template><main><img src="/picture.png" alt=""></main></template>
        <style scoped>main { font-variant: small-caps }</style>`,
      'public/picture.png': picture(64),
      'public/robots.txt': 'User-agent: *\n',
    });
    const { page, types } = await deployed('nuxt-page', 'NUXT', ['/robots.txt']);
    expect(page).toMatchObject({ status: 200, type: 'text/html' });
    expect(page.body).toContain('font-variant:small-caps');
    expect([...types].sort()).toEqual(expect.arrayContaining(['image/png', 'text/javascript', 'text/plain']));
  },
  LONG,
);

/** Rows of the table in docs/starters.md, by the starter's name. */
const rows = new Map<string, string>();
const TABLE = /(?<=<!-- starters:begin -->\n)[\s\S]*(?=<!-- starters:end -->)/;
const HEAD = '| starter | detected | build | start | answers | deployed in |\n| --- | --- | --- | --- | --- | --- |\n';

/** `STARTERS_TABLE=yes` writes the rows of this run into the table; other rows stay. */
function writeTable(): void {
  const page = readFileSync('docs/starters.md', 'utf8');
  for (const line of (TABLE.exec(page)?.[0] ?? '').split('\n').slice(2)) {
    const name = /^\| (\S+) \|/.exec(line)?.[1];
    if (name !== undefined && !rows.has(name)) rows.set(name, line);
  }
  const sorted = STARTERS.flatMap(({ name }) => rows.get(name) ?? []);
  writeFileSync('docs/starters.md', page.replace(TABLE, `${HEAD}${sorted.join('\n')}\n`));
}
afterAll(() => {
  if (process.env.STARTERS_TABLE) writeTable();
});

/** `STARTERS_ONLY` is a pattern of names. */
const chosen = STARTERS.filter(
  ({ name, answers }) => answers && new RegExp(process.env.STARTERS_ONLY ?? '').test(name),
);
test.each(chosen.map((starter) => [starter.name, starter] as const))(
  '%s deploys at defaults and answers',
  async (name, starter) => {
    const { path = '/', status = 200, text } = starter.answers ?? { text: '' };
    commitTo(join(root, `${name}.git`), filesOf(starter));
    const repoUrl = `https://git.localhost/${name}.git`;
    const body = { name, framework: 'NODE' as const, repoUrl, ...starter.settings };
    const made = await account.call(createApp, { body });
    const { id, primaryDomain } = made.body.data;
    const startedAt = performance.now();
    const deployment = await waitFor(async () => {
      const [latest] = (await account.call(listDeployments, { params: { id } })).body.data;
      return latest?.finishedAt ? latest : undefined;
    }, 500);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const { log } = (await account.call(getDeployment, { params: { id: deployment.id } })).body.data;
    expect(deployment.status, log).toBe('SUCCEEDED');
    const page = await get(run.local.baseUrl, primaryDomain, path);
    expect({ status: page.status, body: page.body }).toEqual({ status, body: expect.stringContaining(text) });
    const { detected } = (await account.call(getApp, { params: { id } })).body.data;
    expect(detected?.framework ?? 'Node.js').toBe(starter.framework);
    const { packageManager, nodeVersion, buildCommand, start } = detected ?? {};
    const found = [starter.framework, ...(packageManager ? [packageManager] : []), `Node ${nodeVersion}`].join(', ');
    const cell = (command: string | null | undefined) => (command ? `\`${command.replaceAll('|', '\\|')}\`` : '–');
    rows.set(
      name,
      `| ${name} | ${found} | ${cell(buildCommand)} | ${cell(start)} | ${status} on \`${path}\` | ${seconds} s |`,
    );
    await account.call(deleteApp, { params: { id } });
  },
  2 * LONG,
);

/** Today's generators take minutes and need the network: `STARTERS=yes` runs them (docs/starters.md). */
const { STARTERS: generators } = process.env;
const NEXT = 'create-next-app@latest';
const next = (...options: string[]) => ['--yes', '--disable-git', '--empty', ...options];
const nuxt = (...options: string[]) => ['--template', 'minimal', '--no-modules', '--gitInit=false', ...options];
test.runIf(generators).each<[name: string, framework: Framework, packages: string[], options: string[]]>([
  ['next-npm', 'NEXTJS', [NEXT], next('--use-npm')],
  ['next-src', 'NEXTJS', [NEXT], next('--use-npm', '--src-dir', '--js')],
  ['next-pnpm', 'NEXTJS', [NEXT, 'pnpm@10'], next('--use-pnpm')],
  ['next-yarn', 'NEXTJS', [NEXT, 'yarn@1'], next('--use-yarn', '--no-linter')],
  ['nuxt-npm', 'NUXT', ['nuxi@latest'], nuxt('--packageManager', 'npm')],
])(
  '%s, as its generator creates it, serves its page and everything it refers to',
  async (name, framework, packages, options) => {
    const generator = framework === 'NEXTJS' ? ['create-next-app'] : ['nuxi', 'init'];
    const args = [...packages.flatMap((each) => ['--package', each]), '--', ...generator, `${name}.git`, ...options];
    execFileSync('npx', ['--yes', ...args], { cwd: root, stdio: 'pipe' });
    commitTo(join(root, `${name}.git`), {});
    const { page } = await deployed(name, framework);
    expect(page).toMatchObject({ status: 200, type: 'text/html' });
  },
  2 * LONG,
);
