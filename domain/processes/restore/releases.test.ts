import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createDeletedArtifacts } from '../../../providers/builds/deleted-artifacts.ts';
import { artifactKey, environmentKey } from '../../../providers/builds/keys.ts';
import { aliasTo } from '../../../providers/edge/host-routes.ts';
import { objectVersions } from '../../../runtime/aws/object-versions.ts';
import { App, Host } from '../../../table/entities/apps.ts';
import { Deployment } from '../../../table/entities/deployments.ts';
import { change, create } from '../../../table/writes.ts';
import { deploymentSimulation } from '../../../test/simulation/deployments.ts';
import { SimulatedCrash } from '../../../test/simulation/simulation.ts';
import { inEveryCell } from '../../../test/support/cells.ts';
import { restoreReleases } from './releases.ts';

const BUCKET = 'builds';
/** Versions of each object, the newest first; those that begin with `m` are delete markers. */
const objects = new Map<string, string[]>();

/** A bucket with versions, as S3 answers (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html). */
function answer({ method, url = '' }: IncomingMessage): [number, string] {
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const key = pathname.slice(`/${BUCKET}/`.length);
  const versions = objects.get(key) ?? [];
  if (method === 'HEAD') return [versions[0]?.startsWith('v') ? 200 : 404, ''];
  if (method === 'DELETE') {
    const gone = searchParams.get('versionId');
    objects.set(key, gone === null ? [`m${versions.length}`, ...versions] : versions.filter((id) => id !== gone));
    return [204, ''];
  }
  const prefix = searchParams.get('prefix') ?? '';
  const entries = [...objects]
    .filter(([name]) => name.startsWith(prefix))
    .flatMap(([name, ids]) =>
      ids.map((id, at) => {
        const kind = id.startsWith('v') ? 'Version' : 'DeleteMarker';
        return `<${kind}><Key>${name}</Key><VersionId>${id}</VersionId><IsLatest>${at === 0}</IsLatest></${kind}>`;
      }),
    );
  return [
    200,
    `<?xml version="1.0"?><ListVersionsResult><Name>${BUCKET}</Name>${entries.join('')}</ListVersionsResult>`,
  ];
}

const server = createServer((request, response) => {
  const [status, body] = answer(request);
  response.writeHead(status).end(body);
});
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
beforeEach(() => objects.clear());
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

/** Returns an application with two releases of which the second serves, on a host that knows what `host` has. */
async function world() {
  const base = await deploymentSimulation({ liveDeploymentId: 'dep_2' });
  const { deps, ids } = base;
  const { accountId, applicationId } = ids;
  const ended = { status: 'SUCCEEDED' as const, trigger: 'API' as const, startedAt: '', finishedAt: '', notes: [] };
  for (const number of ['1', '2']) {
    const of = { accountId, applicationId, id: `dep_${number}`, release: number, commitSha: `c${number}` };
    await deps.table.transact([create(Deployment, { ...ended, ...of })]);
  }
  const host = {
    releases: new Set(['1', '2']),
    serving: '2' as string | undefined,
    made: [] as string[],
    next: 1,
    fault: undefined as Error | undefined,
  };
  const appHost = {
    serving: async () => {
      if (host.fault) throw host.fault;
      return host.serving;
    },
    hasRelease: async (_: string, release: string) => host.releases.has(release),
    release: async (_: object, { key }: { key: string }) => {
      host.made.push(key);
      const release = String(host.next++);
      host.releases.add(release);
      return release;
    },
  };
  const prepare = vi.fn(async () => undefined);
  const point = vi.fn(async () => undefined);
  const cells = inEveryCell({ appHost, appLogs: { prepare }, hostRoutes: { pointIfUnset: point } });
  const deletedArtifacts = createDeletedArtifacts(objectVersions, BUCKET);
  const run = (changes: Partial<typeof deps> = {}) =>
    restoreReleases({ ...deps, bucket: BUCKET, deletedArtifacts, ...cells, ...changes }, {});
  const find = (id: string) => base.deployments().find((each) => each.id === id);
  /** The application was deleted: its function is gone, and what it had packaged is deleted, twice. */
  const remove = () => {
    host.releases.clear();
    host.serving = undefined;
    for (const keyOf of [artifactKey, environmentKey])
      for (const id of ['dep_1', 'dep_2']) objects.set(keyOf(applicationId, id), ['m2', 'm1', 'v1', 'm0', 'v0']);
  };
  return { ...base, host, run, find, remove, applicationId, accountId, point };
}

test('does not change a serving application, even if it serves a newer release than the table names', async () => {
  const { run, host, deployments } = await world();
  expect(await run()).toEqual({ releases: 2, released: 0, retired: 0, routed: 0, problems: [] });
  host.serving = '7';
  expect(await run()).toEqual({ releases: 2, released: 0, retired: 0, routed: 0, problems: [] });
  expect(deployments()).toHaveLength(2);
});

test('writes the missing routes of verified custom domains as aliases of default addresses', async () => {
  const { run, deps, accountId, applicationId, point, app } = await world();
  const ids = { accountId, applicationId };
  const customDomain = {
    host: 'shop.example',
    status: 'VERIFIED' as const,
    token: 't',
    claimedAt: '',
    checkedAt: null,
  };
  await deps.table.transact([
    change(App, { accountId, id: applicationId }, { set: { customDomain } }),
    create(Host, { ...ids, host: customDomain.host }),
  ]);
  expect(await run()).toMatchObject({ routed: 1, problems: [] });
  expect(point.mock.calls).toEqual([[['shop.example'], aliasTo((await app())?.hosts[0] ?? ''), applicationId]]);
  point.mockRejectedValueOnce(new Error('the store is away'));
  expect(await run()).toMatchObject({ routed: 0, problems: [{ applicationId, problem: 'the store is away' }] });
});

test('does not change the route of another application, and a cell without permission does not stop the others', async () => {
  const { run, deps, accountId, applicationId, point } = await world();
  const customDomain = {
    host: 'shop.example',
    status: 'VERIFIED' as const,
    token: 't',
    claimedAt: '',
    checkedAt: null,
  };
  const of = { accountId, applicationId: 'app_other', host: customDomain.host };
  await deps.table.transact([
    change(App, { accountId, id: applicationId }, { set: { customDomain, edgeCellId: 'two' } }),
    create(Host, of),
  ]);
  expect(await run()).toMatchObject({ routed: 0, problems: [] });
  expect(point).not.toHaveBeenCalled();
  await deps.table.transact([change(Host, of, { set: { applicationId } })]);
  point.mockRejectedValueOnce(Object.assign(new Error('no right'), { name: 'AccessDenied' }));
  expect(await run()).toMatchObject({ routed: 0, problems: [{ applicationId, problem: 'no right' }] });
});

test('restores the live release of a deleted application from its artifact', async () => {
  const { run, host, find, remove, applicationId, app, deployments } = await world();
  remove();
  // The host gives a new function the numbers of the earlier one: no other release may be taken for its own.
  expect(await run()).toMatchObject({ released: 1, problems: [] });
  expect(host.made).toEqual([artifactKey(applicationId, 'dep_2')]);
  for (const keyOf of [artifactKey, environmentKey])
    expect(objects.get(keyOf(applicationId, 'dep_2'))).toEqual(['v1', 'm0', 'v0']);
  expect([find('dep_2')?.release, find('dep_1')?.retired]).toEqual(['1', true]);
  const rollback = deployments().find(({ trigger }) => trigger === 'ROLLBACK');
  expect(rollback).toMatchObject({ status: 'QUEUED', release: '1', commitSha: 'c2', builtBy: 'dep_2' });
  expect((await app())?.activeDeploymentId).toBe(rollback?.id);
  // The rollback is in progress. When it has ended, the application serves again.
  expect((await run()).problems).toEqual([{ applicationId, problem: expect.stringContaining('in progress') }]);
  host.serving = '1';
  expect(await run()).toMatchObject({ released: 0, retired: 0, routed: 0, problems: [] });
});

test('reports an application whose code is no longer stored, and does not change it', async () => {
  const { run, remove, applicationId, app } = await world();
  remove();
  objects.set(artifactKey(applicationId, 'dep_2'), ['m1']);
  expect(await run()).toMatchObject({
    released: 0,
    problems: [{ applicationId, problem: expect.stringContaining('no longer stored') }],
  });
  expect((await app())?.activeDeploymentId).toBeUndefined();
});

test('withdraws a release that no longer exists from rollback', async () => {
  const { run, host, find } = await world();
  host.releases.delete('1');
  expect(await run()).toEqual({ releases: 2, released: 0, retired: 1, routed: 0, problems: [] });
  expect([find('dep_1')?.retired, find('dep_2')?.retired]).toEqual([true, undefined]);
  expect(await run()).toEqual({ releases: 1, released: 0, retired: 0, routed: 0, problems: [] });
});

test('after a crash before the rollback, the next run completes it without a second release', async () => {
  const { run, remove, host, deployments } = await world();
  remove();
  const dies = () => Promise.reject(new SimulatedCrash('commit'));
  expect((await run({ commit: dies })).problems).toHaveLength(1);
  expect(await run()).toMatchObject({ released: 1, problems: [] });
  expect([host.made.length, deployments().length]).toEqual([1, 3]);
});

test('reports a suspended application, so that it is restored later', async () => {
  const { run, remove, set, applicationId } = await world();
  remove();
  await set({ status: 'SUSPENDED' });
  expect((await run()).problems).toEqual([{ applicationId, problem: expect.stringContaining('suspended') }]);
});

test.each([
  ['TooManyRequestsException', 'Rate exceeded'],
  ['HostThrottled', 'Lambda takes no more changes for now'],
  ['AccessDeniedException', 'not authorized to perform lambda:GetAlias'],
])('%s ends the run, which is repeated, and is no problem of each application', async (name, message) => {
  const { run, host, app, set } = await world();
  host.fault = Object.assign(new Error(message), { name });
  await expect(run()).rejects.toThrow(message);
  // In another cell only its own applications lack the right.
  if (name === 'AccessDeniedException') {
    await set({ cellId: 'cell_2' });
    expect((await run()).problems).toContainEqual({ applicationId: (await app())?.id, problem: message });
  }
});

test('reports full code storage as a problem of the application, and continues', async () => {
  const { run, host, app } = await world();
  const message = 'Code storage limit exceeded.';
  host.fault = Object.assign(new Error(message), { name: 'CodeStorageExceededException' });
  expect((await run()).problems).toContainEqual({ applicationId: (await app())?.id, problem: message });
});
