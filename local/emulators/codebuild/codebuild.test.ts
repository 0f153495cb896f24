import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetBuildsCommand, CodeBuildClient, StartBuildCommand, StopBuildCommand } from '@aws-sdk/client-codebuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import { type Children, startChildren } from '../../processes/children.ts';
import type { Emulator } from '../wire.ts';
import type { CodeBuildOptions } from './build-queue.ts';
import { startCodeBuild } from './codebuild.ts';

let dataDir: string;
let children: Children;
let codeBuild: Emulator;
let client: CodeBuildClient;
let queuedTimeoutMinutes: number | undefined;

const start = async (commands: string[], timeoutMinutes = 5, own: Partial<CodeBuildOptions> = {}): Promise<void> => {
  codeBuild = await startCodeBuild({
    dataDir,
    children,
    projects: [
      {
        name: 'builder',
        buildspec: JSON.stringify({ version: '0.2', phases: { build: { commands } } }),
        environment: { BUCKET: 'builds' },
        sourceDir: join(dataDir, 'source'),
        timeoutMinutes,
        queuedTimeoutMinutes,
        memoryMb: 200,
      },
    ],
    environment: { AWS_ACCESS_KEY_ID: 'local' },
    gitRoot: join(dataDir, 'git'),
    region: 'af-south-1',
    accountId: '000000000000',
    concurrency: 1,
    ...own,
  });
  client = new CodeBuildClient({
    region: 'af-south-1',
    endpoint: codeBuild.url,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
};
const stop = async (): Promise<void> => {
  client.destroy();
  await codeBuild.stop();
};

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'code-build-'));
  queuedTimeoutMinutes = undefined;
  mkdirSync(join(dataDir, 'source'));
  children = startChildren(dataDir);
});
afterEach(async () => {
  await stop();
  await children.stop();
  rmSync(dataDir, { recursive: true });
});

const startBuild = async (deploymentId: string, idempotencyToken?: string): Promise<string> => {
  const { build } = await client.send(
    new StartBuildCommand({
      projectName: 'builder',
      idempotencyToken,
      environmentVariablesOverride: [{ name: 'DEPLOYMENT_ID', value: deploymentId, type: 'PLAINTEXT' }],
    }),
  );
  return build?.id ?? '';
};
const get = async (id: string) => (await client.send(new BatchGetBuildsCommand({ ids: [id] }))).builds?.[0];
const finished = async (id: string) => {
  for (let tries = 0; tries < 2400; tries++) {
    const build = await get(id);
    if (build?.buildComplete) return build;
    await sleep(25);
  }
  throw new Error('the build does not end');
};

test('gives a build its source, variables and Node, and nothing else of the platform', async () => {
  process.env.PLATFORM_SECRET = 'x';
  writeFileSync(
    join(dataDir, 'source', 'main.mjs'),
    `import { execSync } from 'node:child_process';
     const node = execSync(JSON.parse(process.env.NODE_BINARIES)[20] + ' --version', { encoding: 'utf8' });
     const { DEPLOYMENT_ID, BUCKET, AWS_ACCESS_KEY_ID, CODEBUILD_SRC_DIR, PLATFORM_SECRET, GIT_ALLOW_PROTOCOL } = process.env;
     const seen = [DEPLOYMENT_ID, BUCKET, AWS_ACCESS_KEY_ID, CODEBUILD_SRC_DIR === process.cwd(), PLATFORM_SECRET, GIT_ALLOW_PROTOCOL];
     const right = ['dep_1', 'builds', 'local', true, undefined, 'https:ssh:file'];
     process.exit(JSON.stringify(seen) === JSON.stringify(right) && node.startsWith('v20.') ? 0 : 1);`,
  );
  await start(['node main.mjs']);
  const build = await finished(await startBuild('dep_1'));
  delete process.env.PLATFORM_SECRET;
  expect(build).toMatchObject({ buildStatus: 'SUCCEEDED', currentPhase: 'COMPLETED', projectName: 'builder' });
});

test('returns the same build for the same token and reports a failing command', async () => {
  await start(['exit 7', 'echo never']);
  const first = await startBuild('dep_1', 'token');
  expect(await startBuild('dep_1', 'token')).toBe(first);
  await expect(startBuild('dep_2', 'token')).rejects.toMatchObject({ name: 'InvalidInputException' });
  const build = await finished(first);
  expect(build.buildStatus).toBe('FAILED');
  expect(build.phases?.find(({ phaseType }) => phaseType === 'BUILD')?.contexts?.[0]?.message).toContain(
    'exit status 7',
  );
});

test('queues builds, stops one on request, and ends an overlong one as TIMED_OUT', async () => {
  await start(['sleep 60 & wait'], 0.04);
  const [first, second, third] = [await startBuild('a'), await startBuild('b'), await startBuild('c')];
  expect(await get(third)).toMatchObject({ currentPhase: 'QUEUED', buildComplete: false });
  await client.send(new StopBuildCommand({ id: second }));
  expect(await finished(first)).toMatchObject({ buildStatus: 'TIMED_OUT' });
  expect(await get(second)).toMatchObject({ buildStatus: 'STOPPED', buildComplete: true });
  expect(await finished(third)).toMatchObject({ buildStatus: 'TIMED_OUT' });
});

test('a new account builds one at a time: others wait for their turn, and a full queue refuses', async () => {
  const full = join(dataDir, 'full');
  await start([`until [ -e ${full} ]; do sleep 0.05; done; sleep 0.2`], 5, {
    strict: true,
    concurrency: AWS_LIMITS.codeBuildConcurrency.value,
  });
  const running = await startBuild('running');
  const room = AWS_LIMITS.codeBuildQueueFactor.value;
  const waiting = await Promise.all(Array.from({ length: room }, (_, index) => startBuild(`waiting-${index}`)));
  await expect(startBuild('too many')).rejects.toMatchObject({ name: 'AccountLimitExceededException' });
  writeFileSync(full, '');
  const ended = await Promise.all([running, ...waiting].map(finished));
  expect(ended.map(({ buildStatus }) => buildStatus)).toEqual(Array.from({ length: room + 1 }, () => 'SUCCEEDED'));
  // None ran beside another.
  const runs = ended
    .map(({ phases = [], endTime }) => [phases.find(({ phaseType }) => phaseType === 'BUILD')?.startTime, endTime])
    .map(([from, until]) => [from?.getTime() ?? 0, until?.getTime() ?? 0] as const)
    .sort(([a], [b]) => a - b);
  for (const [index, [from]] of runs.entries()) expect(from).toBeGreaterThanOrEqual(runs[index - 1]?.[1] ?? 0);
  // There is room again.
  expect((await finished(await startBuild('later'))).buildStatus).toBe('SUCCEEDED');
});

test('gives up a build that waits too long for its turn', async () => {
  queuedTimeoutMinutes = 0.002;
  await start(['sleep 60 & wait'], 0.06);
  const [running, waiting] = [await startBuild('a'), await startBuild('b')];
  const gone = await finished(waiting);
  expect(gone.buildStatus).toBe('TIMED_OUT');
  expect(gone.phases?.map(({ phaseType, phaseStatus }) => `${phaseType} ${phaseStatus}`)).toContain('QUEUED TIMED_OUT');
  expect(await finished(running)).toMatchObject({ buildStatus: 'TIMED_OUT' });
});

test('after a restart, marks running builds as FAULT and runs queued ones', async () => {
  await start(['sleep 60 & wait']);
  const [running, waiting] = [await startBuild('a'), await startBuild('b')];
  while ((await get(running))?.currentPhase !== 'BUILD') await sleep(10);
  await stop();
  await start(['true']);
  expect(await finished(running)).toMatchObject({ buildStatus: 'FAULT' });
  expect(await finished(waiting)).toMatchObject({ buildStatus: 'SUCCEEDED' });
  const unknown = client.send(new StartBuildCommand({ projectName: 'other' }));
  await expect(unknown).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});

test('kills a command that exceeds the memory limit and continues the build to report it', async () => {
  const hoard = 'const kept = []; setInterval(() => kept.push(Buffer.alloc(16 << 20, 1)), 10);';
  writeFileSync(join(dataDir, 'source', 'hoard.mjs'), hoard);
  await start(['node hoard.mjs; test $? -eq 137 || exit 1; exit 3']);
  const build = await finished(await startBuild('a'));
  const [context] = build.phases?.find(({ phaseType }) => phaseType === 'BUILD')?.contexts ?? [];
  expect(context?.message).toContain('exit status 3');
});
