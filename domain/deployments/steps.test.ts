import { expect, test } from 'vitest';
import type { HealthCheck } from '../../providers/app-host/app-host.ts';
import { HostThrottled, RuntimeRetired } from '../../providers/app-host/resources.ts';
import { createBuildAccess } from '../../providers/builds/access.ts';
import { createBuilds } from '../../providers/builds/builds.ts';
import { openJob } from '../../providers/builds/job-document.ts';
import { jobKey, logKey } from '../../providers/builds/keys.ts';
import type { Context, Sealed } from '../../providers/encryption/secrets.ts';
import { App, EnvSet } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change, create, remove } from '../../table/writes.ts';
import { deploymentSimulation } from '../../test/simulation/deployments.ts';
import { inEveryCell } from '../../test/support/cells.ts';
import { beginDeployment } from './begin.ts';
import { checkRelease } from './check.ts';
import { createDeployment } from './create.ts';
import { getDeployment } from './deployments.ts';
import { discardBuild } from './executions.ts';
import { recordFailure } from './failure.ts';
import { failDeployment } from './finish.ts';
import { releaseDeployment } from './release.ts';
import { withVerdict } from './verdict.ts';

const SECRET = 's3cr3t-value/of the application';

/** Steps of a deployment of an application with one variable, with a bucket in memory. */
async function steps(health: Partial<HealthCheck> = {}, stored: readonly string[] = []) {
  const made = await deploymentSimulation();
  const { deps, ids, caller } = made;
  const objects = new Map<string, Buffer>();
  const opened: Context[] = [];
  const sealed = (text: string): Sealed => ({ wrappedKey: '', iv: '', ciphertext: text });
  const all = {
    ...deps,
    settings: { ...deps.settings, hostArnOf: (id: string) => `arn:${id}` },
    builds: createBuilds(
      {
        getObject: async (_, key) => objects.get(key),
        putObject: async (_, key, body) => void objects.set(key, Buffer.from(body)),
        deleteObject: async (_, key) => void objects.delete(key),
      },
      'builds',
    ),
    buildAccess: createBuildAccess(async (grants) =>
      grants.map(({ key, ...request }) => ({ ...request, url: `https://s3/${key}?signed` })),
    ),
    secrets: {
      seal: async (_: Context, text: string) => sealed(text),
      unseal: async (context: Context, { ciphertext }: Sealed) => {
        opened.push(context);
        return ciphertext;
      },
    },
    ...inEveryCell({
      functionArnPrefix: 'arn:',
      appLogs: { tail: async () => [...stored] },
      appHost: { probe: async () => ({ status: undefined, error: undefined, output: '', ...health }) },
    }),
    logPauseMs: 1,
    buildRunner: { stop: async () => undefined },
    databasePasswords: { create: async () => 'secret' },
  };
  const env = { accountId: ids.accountId, id: ids.applicationId, applicationId: ids.applicationId, version: 1 };
  const setVariable = (
    value: string,
    write = create(EnvSet, { ...env, keys: ['TOKEN'], sealed: sealed(JSON.stringify({ TOKEN: value })) }),
  ) => deps.table.transact([write]);
  await setVariable(SECRET);
  const asked = { id: ids.applicationId } as Parameters<typeof createDeployment>[2];
  const deploymentId = (await createDeployment(deps, caller, asked)).data.id;
  const of = { ...ids, deploymentId };
  return { ...made, all, of, objects, opened, env, sealed };
}

test('a build receives its job at an address, and neither the address nor the object alone reveals a secret', async () => {
  const { all, of, objects, opened } = await steps();
  const build = await beginDeployment(all, of);
  const [url, key = ''] = (build?.jobUrl ?? '').split('#');
  expect(url).toBe(`https://s3/${jobKey(of.deploymentId)}?signed`);
  expect(build?.jobUrl).not.toContain(SECRET);
  const document = objects.get(jobKey(of.deploymentId)) ?? Buffer.alloc(0);
  expect(document.toString('latin1')).not.toContain(SECRET);
  expect(openJob(document, key)).toMatchObject({ variables: { TOKEN: SECRET }, deployKey: null });
  expect(() => openJob(document, 'A'.repeat(43))).toThrow();
  expect(opened).toEqual([{ application: `arn:${of.applicationId}` }]);
});

const jobsIn = (objects: ReadonlyMap<string, Buffer>) => [...objects.keys()].filter((key) => key.startsWith('jobs/'));

test('a job that no build took is deleted when the deployment has failed', async () => {
  const { all, of, objects, deployments } = await steps();
  await beginDeployment(all, of);
  await recordFailure(all, { ...of, error: { Error: 'Error', Cause: '' } });
  const [failed] = deployments();
  if (!failed) throw new Error('no deployment');
  expect(jobsIn(objects)).toHaveLength(1);
  await discardBuild(all, failed);
  await discardBuild(all, failed);
  expect(jobsIn(objects)).toEqual([]);
});

/** A build that ended, as the look at it returns it. */
const endedBuild = (status: string, phases: Record<string, [seconds: number, status: string]>) => ({
  status,
  id: 'b:1',
  failed: false,
  phases: Object.entries(phases).map(([type, [seconds, ended]]) => ({ type, seconds, status: ended })),
});
const NO_BUILDER = [
  endedBuild('TIMED_OUT', { SUBMITTED: [0, 'SUCCEEDED'], QUEUED: [1200, 'TIMED_OUT'] }),
  { status: 'REFUSED', failed: false },
];

test.each(NO_BUILDER)(
  'a build that finds no builder is submitted again, and its owner pays for none of it',
  async (build) => {
    const { all, of, clock, deployments, account } = await steps();
    await beginDeployment(all, of);
    clock.now += 7 * 3600_000;
    expect(await recordFailure(all, { ...of, build })).toEqual({ again: true, fault: false, pause: 45 });
    // The step begins again with a new job.
    expect((await beginDeployment(all, of))?.jobUrl).toContain('https://');
    expect(deployments()).toMatchObject([{ status: 'RUNNING' }]);
    clock.now += 2 * 3600_000;
    expect(await recordFailure(all, { ...of, build })).toEqual({ again: false, fault: true });
    expect(deployments()).toMatchObject([
      { status: 'FAILED', notes: [expect.stringContaining('No builder became free within 8 hours')] },
    ]);
    expect(await account()).toMatchObject({ buildMinutes: 0 });
  },
);

test('the minutes of a build do not count its wait for a builder', async () => {
  const { all, of, clock, account } = await steps();
  await beginDeployment(all, of);
  clock.now += 5 * 3600_000;
  const build = endedBuild('FAILED', {
    QUEUED: [17_000, 'SUCCEEDED'],
    INSTALL: [30, 'SUCCEEDED'],
    BUILD: [70, 'FAILED'],
  });
  expect(await recordFailure(all, { ...of, build })).toMatchObject({ again: false });
  expect(await account()).toMatchObject({ buildMinutes: 2 });
});

test('a build that was stopped counts at most as long as a build may take', async () => {
  const { all, of, clock, account, fail } = await steps();
  await beginDeployment(all, of);
  clock.now += 5 * 3600_000;
  await fail(of.deploymentId);
  expect(await account()).toMatchObject({ buildMinutes: 30 });
});

test('the log says that a build waits for a builder, in a line that stays', async () => {
  const { all, of, caller, objects } = await steps();
  const read = async () => (await getDeployment(all, caller, { id: of.deploymentId } as never)).data.log;
  expect(await read()).toBe('');
  await beginDeployment(all, of);
  expect(await read()).toBe('==> Waiting for a free builder\n');
  objects.set(logKey(of.deploymentId), Buffer.from('==> Clone\n'));
  expect(await read()).toMatch(/^==> Waiting for a free builder\n/);
});

test('a failed health check is a verdict for the owner, not an error that alarms operators', async () => {
  const { all, of, deps, ids } = await steps({ status: 500 });
  await beginDeployment(all, of);
  const set = change(Deployment, { accountId: ids.accountId, id: of.deploymentId }, { set: { release: '1' } });
  await deps.table.transact([set]);
  const verdict = await withVerdict(checkRelease, all, of);
  expect(verdict).toEqual({ failed: true, reason: expect.stringContaining('answered 500') });
  expect(await recordFailure(all, { ...of, step: verdict })).toEqual({ again: false, fault: false });
});

test('a release that ends is explained with the advice of the framework whose server was started', async () => {
  const detected = {
    framework: 'Astro',
    packageManager: 'npm',
    nodeVersion: '22',
    buildCommand: 'npm run build',
    start: 'node dist/server/entry.mjs',
  } as const;
  const message = await failureOf({ error: 'Runtime exited without providing a reason' }, ({ deps, ids }) =>
    deps.table.transact([change(App, { accountId: ids.accountId, id: ids.applicationId }, { set: { detected } })]),
  );
  expect(message).toContain('does not; use @astrojs/node with mode "standalone"');
});

test('an application in another cell gets its variables encrypted for its function there', async () => {
  const { all, of, objects, sealed } = await steps();
  const contexts: Context[] = [];
  const seal = async (context: Context, text: string) => {
    contexts.push(context);
    return sealed(text);
  };
  const elsewhere = { functionArnPrefix: 'arn:aws:lambda:eu-west-1:222222222222:function:b-' };
  const settings = { ...all.settings, hostArnOf: (id: string) => `arn:aws:lambda:af-south-1:1:function:${id}` };
  const deps = { ...all, ...inEveryCell(elsewhere), settings, secrets: { ...all.secrets, seal } };
  const [, key = ''] = ((await beginDeployment(deps, of))?.jobUrl ?? '').split('#');
  const hostArn = elsewhere.functionArnPrefix + of.applicationId;
  expect(contexts).toEqual([{ application: hostArn }]);
  const job = openJob(objects.get(jobKey(of.deploymentId)) ?? Buffer.alloc(0), key);
  expect(job).toMatchObject({
    hostArn,
    keyRegion: 'af-south-1',
    env: { ciphertext: JSON.stringify({ TOKEN: SECRET }) },
  });
});

test('a Node version that the host refuses is a verdict that says what to do', async () => {
  const { all, of } = await steps();
  await beginDeployment(all, of);
  const appHost = { release: () => Promise.reject(new RuntimeRetired('20')) };
  const appLogs = { prepare: async () => undefined };
  const made = { ...all, bucket: 'builds', ...inEveryCell({ appHost, appLogs }) };
  const reason = expect.stringMatching(/Node 20 is no longer available\. Set nodeVersion to 24/);
  expect(await withVerdict(releaseDeployment, made, of)).toEqual({ failed: true, reason });
});

test('a deployment that is stopped while its release is created has ended, and is no longer due', async () => {
  const { all, of, deployments } = await steps();
  await beginDeployment(all, of);
  const appHost = {
    release: async () => {
      await failDeployment(all, of, 'The application was suspended.');
      return '7';
    },
  };
  const made = { ...all, bucket: 'builds', ...inEveryCell({ appHost, appLogs: { prepare: async () => undefined } }) };
  expect(await withVerdict(releaseDeployment, made as never, of)).toMatchObject({ failed: true });
  const [ended] = deployments();
  expect(ended).toMatchObject({ status: 'FAILED' });
  expect([ended?.release, ended?.dueAt]).toEqual([undefined, undefined]);
});

test('a deployment that was stopped uploads nothing into the function of the one after it', async () => {
  const { all, of } = await steps();
  await beginDeployment(all, of);
  await failDeployment(all, of, 'It was stopped.');
  const appHost = { release: () => Promise.reject(new Error('uploads')) };
  const made = { ...all, bucket: 'builds', ...inEveryCell({ appHost, appLogs: { prepare: async () => undefined } }) };
  expect(await withVerdict(releaseDeployment, made as never, of)).toEqual({
    failed: true,
    reason: 'The deployment has already ended.',
  });
});

test('the function of an application that is deleted during its release is removed, whether the release succeeded or not', async () => {
  const { all, of, set } = await steps();
  await beginDeployment(all, of);
  const removed: string[] = [];
  const noted = (name: string) => async () => void removed.push(name);
  const appHost = {
    release: async () => {
      await set({ status: 'DELETING' });
      throw new HostThrottled();
    },
    remove: noted('function'),
  };
  const appLogs = { prepare: async () => undefined, remove: noted('logs') };
  const made = { ...all, bucket: 'builds', ...inEveryCell({ appHost, appLogs }) };
  expect(await withVerdict(releaseDeployment, made as never, of)).toMatchObject({ failed: true });
  expect(removed).toEqual(['function', 'logs']);
});

test('an error of the platform stays an error, unless the application was deleted or suspended meanwhile', async () => {
  const { all, of, set } = await steps();
  const broken = async () => {
    throw new Error('ResourceNotFoundException');
  };
  await expect(withVerdict(broken, all, of)).rejects.toThrow('ResourceNotFoundException');
  await set({ status: 'SUSPENDED' });
  expect(await withVerdict(broken, all, of)).toEqual({ failed: true, reason: 'The application was suspended.' });
  await set({ status: 'DELETING' });
  expect(await withVerdict(broken, all, of)).toEqual({ failed: true, reason: 'The application was deleted.' });
  const { accountId, deploymentId: id } = of;
  await all.table.transact([remove(Deployment, { accountId, id })]);
  expect(await withVerdict(broken, all, of)).toMatchObject({ failed: true });
});

test('a build that could not begin because of the platform is a fault', async () => {
  const { all, of, deployments } = await steps();
  await beginDeployment(all, of);
  const error = { Error: 'Lambda.Unknown', Cause: '{"errorType":"Sandbox.Timedout"}' };
  expect(await recordFailure(all, { ...of, error })).toEqual({ again: false, fault: true });
  expect(deployments()).toMatchObject([{ notes: [expect.stringContaining('on our side')] }]);
});

test.each(['first', 'repeated'])(
  'a deployment that is stopped while its %s begin stores the job leaves no job behind',
  async (run) => {
    const { all, of, objects, deployments } = await steps();
    if (run === 'repeated') await beginDeployment(all, of);
    const { builds } = all;
    const stopping = {
      ...builds,
      async writeJob(job: Parameters<typeof builds.writeJob>[0]) {
        await failDeployment(all, of, 'The application was suspended.');
        for (const failed of deployments()) await discardBuild(all, failed);
        return await builds.writeJob(job);
      },
    };
    await expect(beginDeployment({ ...all, builds: stopping }, of)).rejects.toThrow();
    expect(jobsIn(objects)).toEqual([]);
    expect(deployments()).toMatchObject([{ status: 'FAILED' }]);
  },
);

/** Output of a server that crashes during its check: its environment, in several forms. */
const CRASH = [
  `TypeError: cannot connect with { TOKEN: '${SECRET}' }`,
  `    at connect (${encodeURIComponent(SECRET)})`,
  `TOKEN=${Buffer.from(SECRET).toString('base64')} ${Buffer.from(SECRET).toString('hex')}`,
  'Node.js v24.21.0',
].join('\n');

async function failureOf(
  health: Partial<HealthCheck>,
  prepare?: (made: Awaited<ReturnType<typeof steps>>) => Promise<unknown>,
  stored: readonly string[] = [],
) {
  const made = await steps(health, stored);
  const { all, of, deps, ids } = made;
  await beginDeployment(all, of);
  await deps.table.transact([
    change(Deployment, { accountId: ids.accountId, id: of.deploymentId }, { set: { release: '1' } }),
  ]);
  await prepare?.(made);
  const failure = await checkRelease(all, of).catch((error: Error) => error);
  return failure instanceof Error ? failure.message : '';
}
const FORMS = [
  SECRET,
  encodeURIComponent(SECRET),
  Buffer.from(SECRET).toString('base64'),
  Buffer.from(SECRET).toString('hex'),
];

test('the output of a release that fails its check is quoted without the values of its variables', async () => {
  const message = await failureOf({ error: `exited with ${SECRET}`, output: CRASH });
  for (const form of FORMS) expect(message).not.toContain(form);
  expect(message).toContain("cannot connect with { TOKEN: '[redacted]' }");
  expect(message).toContain('Node.js v24.21.0');
});

test('the values that a release was built with stay hidden after they were replaced', async () => {
  const message = await failureOf({ output: CRASH }, async ({ deps, env, sealed }) => {
    const set = { sealed: sealed(JSON.stringify({ TOKEN: 'another value' })) };
    await deps.table.transact([change(EnvSet, { accountId: env.accountId, id: env.id }, { set })]);
  });
  for (const form of FORMS) expect(message).not.toContain(form);
});

test('an excerpt that begins within a line omits that line, because it may begin within a secret', async () => {
  const cut = `${SECRET.slice(5)}\nthe end\n`;
  const message = await failureOf({ output: `${cut}${'x'.repeat(4096 - cut.length - 5)}\nlast` });
  expect(message).not.toContain(SECRET.slice(5));
  expect(message).toContain('last');
  const single = await failureOf({ output: SECRET.slice(5).padEnd(4096, 'y') });
  expect(single).not.toContain(SECRET.slice(5));
});

test('an error whose message was cut from the excerpt is read from the stored log, without secrets', async () => {
  const stack = Array.from({ length: 60 }, (_, frame) => `    at call${frame} (${'x'.repeat(80)})`);
  const lines = [`MongoParseError: Invalid scheme in ${SECRET}`, ...stack];
  const output = lines.join('\n').slice(-4096);
  const message = await failureOf({ error: 'Runtime exited with error: exit status 1', output }, undefined, lines);
  expect(message).toMatch(/^The new release did not start: MongoParseError: Invalid scheme in \[redacted\]\.\n/);
  expect(message).not.toContain(SECRET);
});

test.each([200, 301, 401, 404, 429])('a release that answers %i is healthy', async (status) => {
  expect(await failureOf({ status })).toBe('');
});

test('a release is checked on the path of the application', async () => {
  const made = await steps();
  const { all, of, deps, ids } = made;
  await made.set({ healthCheckPath: '/healthz?deep=1' });
  await beginDeployment(all, of);
  const release = change(Deployment, { accountId: ids.accountId, id: of.deploymentId }, { set: { release: '1' } });
  await deps.table.transact([release]);
  const paths: string[] = [];
  const probe = async (_app: string, _release: string, path: string) => {
    paths.push(path);
    return { status: path === '/healthz?deep=1' ? 204 : 500, error: undefined, output: '' };
  };
  await checkRelease({ ...all, ...inEveryCell({ appHost: { probe }, appLogs: { tail: async () => [] } }) }, of);
  expect(new Set(paths)).toEqual(new Set(['/healthz?deep=1']));
  await made.set({ healthCheckPath: '/' });
  await expect(
    checkRelease({ ...all, ...inEveryCell({ appHost: { probe }, appLogs: { tail: async () => [] } }) }, of),
  ).rejects.toThrow('answered 500 on /;');
});
