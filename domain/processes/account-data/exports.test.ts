import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  createExports,
  type ExportId,
  MIN_PART_BYTES,
  UploadGone,
  type Uploads,
} from '../../../providers/exports/exports.ts';
import { AccountExport } from '../../../table/entities/account-data.ts';
import { Account, ApiKey } from '../../../table/entities/accounts.ts';
import { App } from '../../../table/entities/apps.ts';
import { AuditEntry } from '../../../table/entities/audit.ts';
import { Deployment } from '../../../table/entities/deployments.ts';
import { Delivery, DeliveryAttempt, EventFeed, FeedEntry, Webhook } from '../../../table/entities/webhooks.ts';
import { change, create, remove } from '../../../table/writes.ts';
import { newSimulatedAccount } from '../../../test/simulation/account.ts';
import { simulatedApp } from '../../../test/simulation/app.ts';
import {
  crashesAt,
  type FaultPlan,
  noFaults,
  simulation,
  toleratingFaults,
} from '../../../test/simulation/simulation.ts';
import { entriesOf } from '../../../test/support/archive.ts';
import { sweep } from '../../sweep/sweep.ts';
import { openArchive } from './archive.ts';
import { createExportLink, exportQueue, listExports, startExport } from './exports.ts';

const CALLER = { accountId: 'acc_1', keyId: '' };
const SEALED = { wrappedKey: 'a', iv: 'b', ciphertext: 'SEALED-SECRET' };
/** Simulated duration of a call of the table, in milliseconds: a slice is a few dozen calls. */
const CALL_MS = 1500;

/** A bucket as S3 treats uploads: every part but the last is large enough, and an upload ends once. */
function bucket() {
  const objects = new Map<string, Buffer>();
  const open = new Map<string, Map<number, Buffer>>();
  let begun = 0;
  const tagOf = (body: Buffer) => createHash('md5').update(body).digest('hex');
  const uploads: Uploads = {
    begin: async () => {
      begun += 1;
      open.set(`upload-${begun}`, new Map());
      return `upload-${begun}`;
    },
    addPart: async (_, __, { uploadId, number, body }) => {
      const parts = open.get(uploadId);
      if (!parts) throw new UploadGone();
      parts.set(number, body);
      return tagOf(body);
    },
    end: async (_, key, { uploadId, tags }) => {
      const parts = open.get(uploadId);
      if (!parts && !objects.has(key)) throw new UploadGone();
      if (!parts) return;
      const bodies = tags.map((tag, at) => {
        const body = parts.get(at + 1);
        if (!body || tagOf(body) !== tag) throw new Error('InvalidPart');
        if (at + 1 < tags.length && body.length < MIN_PART_BYTES) throw new Error('EntityTooSmall');
        return body;
      });
      objects.set(key, Buffer.concat(bodies));
      open.delete(uploadId);
    },
  };
  const store = {
    getObject: async (_: string, key: string) => objects.get(key),
    putObject: async (_: string, key: string, body: string | Buffer) => void objects.set(key, Buffer.from(body)),
    deleteObject: async (_: string, key: string) => void objects.delete(key),
  };
  const archive = () => [...objects].find(([key]) => key.endsWith('.zip'))?.[1];
  return {
    exports: createExports(store, uploads, 'builds'),
    archive,
    loseUploads: () => open.clear(),
    begun: () => begun,
  };
}

/** An account with something of most kinds. */
async function world(faults: FaultPlan = noFaults) {
  const clock = { tick: () => {} };
  const simulated = simulation({
    faults,
    through: (send) => async (operation, input) => {
      clock.tick();
      return await send(operation, input);
    },
  });
  clock.tick = () => {
    simulated.clock.now += CALL_MS;
  };
  const { deps } = simulated.steady;
  const { exports, archive, loseUploads, begun } = bucket();
  const at = '2026-01-31T09:00:00.000Z';
  const of = { accountId: 'acc_1' };
  const app = {
    ...of,
    name: 'Shop',
    slug: 'shop',
    primaryDomain: 'shop.apps.example.com',
    createdAt: at,
    updatedAt: at,
  };
  const deployment = {
    ...of,
    status: 'SUCCEEDED',
    trigger: 'API',
    commitSha: 'abc',
    startedAt: at,
    finishedAt: at,
  } as const;
  await deps.table.transact([
    newSimulatedAccount('acc_1', { card: { authorization: 'SEALED-SECRET', email: '', brand: '', lastFour: '' } }),
    create(ApiKey, {
      ...of,
      id: 'key_1',
      name: 'CI',
      scopes: ['read'],
      allowedOrigins: [],
      expiresAt: null,
      revokedAt: null,
      createdAt: at,
      publicKey: 'pk_live_1',
      hashes: { secret: 'SEALED-SECRET', public: 'SEALED-SECRET' },
    }),
    ...['app_1', 'app_2'].map((id) => create(App, simulatedApp({ ...app, id }))),
    ...Array.from({ length: 6 }, (_, n) =>
      create(Deployment, { ...deployment, id: `dep_${n}`, applicationId: `app_${1 + (n % 2)}`, notes: [] }),
    ),
    create(Webhook, {
      ...of,
      id: 'whk_1',
      url: 'https://a.example',
      description: '',
      events: ['*'],
      active: true,
      failureCount: 0,
      disabledAt: null,
      secret: SEALED,
      createdAt: at,
    }),
    ...Array.from({ length: 3 }, (_, n) =>
      create(Delivery, {
        ...of,
        id: `del_${n}`,
        webhookId: 'whk_1',
        eventId: `evt_${n}`,
        type: 'ping',
        body: '{}',
        status: 'FAILED',
        createdAt: at,
        nextAttemptAt: null,
        attempts: [],
        step: 1,
        tries: 2,
        made: { count: 2, durations: [1, 1], lastOutcome: 'BAD_STATUS' },
      }),
    ),
    ...Array.from({ length: 6 }, (_, n) =>
      create(DeliveryAttempt, {
        ...of,
        deliveryId: `del_${n >> 1}`,
        number: n % 2,
        id: `att_${n}`,
        at,
        outcome: 'BAD_STATUS',
        responseStatus: 500,
        responseBody: '',
        durationMs: 1,
      }),
    ),
    create(AuditEntry, {
      ...of,
      id: 'aud_1',
      action: 'account.suspended',
      actor: { kind: 'OPERATOR', id: 'operator-1' },
      before: null,
      after: null,
      subjectId: null,
      address: '203.0.113.7',
      requestId: 'req_1',
      reason: 'internal',
      createdAt: at,
    }),
    create(EventFeed, { ...of, position: 4 }),
    ...[1, 2, 3, 4].map((position) =>
      create(FeedEntry, { ...of, position, id: `evt_${position}`, type: 'ping', created: at, data: {} }),
    ),
  ]);
  const seller = { name: 'Seller', address: '', vatNumber: null };
  /** One run of the schedule, in a process that may crash. */
  const run = async (process: ReturnType<typeof simulated.startProcess>) => {
    const given = { ...process.deps, exports: process.port('exports', exports), seller };
    return await sweep(given, exportQueue);
  };
  const read = async () => (await listExports(deps, CALLER, { limit: 10, offset: 0, cursor: undefined })).data[0];
  return { ...simulated, deps, archive, loseUploads, begun, run, read };
}

/** Runs the schedule until the export is over. */
async function finish({ run, read, clock, steady }: Awaited<ReturnType<typeof world>>): Promise<number> {
  for (let runs = 1; runs < 100; runs += 1) {
    expect((await run(steady)).failed).toEqual([]);
    if ((await read())?.finishedAt) return runs;
    clock.now += 130_000;
  }
  throw new Error('the export did not end');
}

/** The rows of an archive by file, in order. */
async function rowsOf(archive: Buffer | undefined): Promise<Record<string, unknown[]>> {
  const files = await entriesOf(archive);
  const rows: Record<string, unknown[]> = {};
  for (const [path, content] of files) {
    if (!path.endsWith('.json')) continue;
    const [folder = ''] = path.split('/');
    rows[folder] = [...(rows[folder] ?? []), ...(JSON.parse(content) as unknown[])];
  }
  return rows;
}

const ids = (rows: unknown[] | undefined, field = 'id') => rows?.map((row) => Reflect.get(row as object, field));

test('an export contains all data of the account once, however many processes write it, and no secrets', async () => {
  const given = await world();
  await startExport(given.deps, CALLER);
  expect(await finish(given)).toBeGreaterThan(2);
  const archive = given.archive();
  const rows = await rowsOf(archive);
  expect(ids(rows.deployments)?.toSorted()).toEqual(['dep_0', 'dep_1', 'dep_2', 'dep_3', 'dep_4', 'dep_5']);
  expect(ids(rows['delivery-attempts'])).toEqual(['att_0', 'att_1', 'att_2', 'att_3', 'att_4', 'att_5']);
  expect(ids(rows.events, 'position')).toEqual([4, 3, 2, 1]);
  expect(ids(rows.account)).toEqual(['acc_1']);
  // Which operator it was, from where and why, is the platform's own business.
  expect(rows['audit-log']).toMatchObject([{ actor: { kind: 'OPERATOR', id: null }, address: null, requestId: null }]);
  const texts = [...(await entriesOf(archive)).values()];
  expect(texts.some((text) => text.includes('SEALED-SECRET'))).toBe(false);
  expect(await given.read()).toMatchObject({ status: 'READY', sizeBytes: expect.any(Number) });
  expect(await given.deps.table.get(Account, { id: 'acc_1' })).not.toHaveProperty('exportId');
});

test('an export survives a crash at every call with the same contents', async () => {
  const steady = await world();
  await startExport(steady.deps, CALLER);
  await finish(steady);
  const { exports: _, ...expected } = await rowsOf(steady.archive());
  for (let number = 1, reached = true; reached; number += 1) {
    for (const { when, faults } of crashesAt(number)) {
      const given = await world(faults);
      await startExport(given.deps, CALLER);
      for (let runs = 0; runs < 100 && given.calls() < number; runs += 1) {
        await toleratingFaults(() => given.run(given.startProcess()));
        given.clock.now += 130_000;
        if ((await given.read())?.finishedAt) break;
      }
      reached = given.calls() >= number;
      if (!(await given.read())?.finishedAt) await finish(given);
      const { exports: _, ...rows } = await rowsOf(given.archive());
      expect(rows, `crash ${when} call ${number}`).toEqual(expected);
    }
  }
}, 120_000);

test('allows one export at a time and three a day, and creates links only to available archives', async () => {
  const given = await world();
  const { deps, clock } = given;
  const exportLinks = { create: async ({ id }: ExportId) => `https://bucket/${id}` };
  const linkTo = (id: string) => createExportLink({ ...deps, exportLinks }, CALLER, { id });
  const { data: first } = await startExport(deps, CALLER);
  await expect(startExport(deps, CALLER)).rejects.toThrow('An export of this account is in progress');
  await expect(linkTo(first.id)).rejects.toThrow('not ready');
  await finish(given);
  expect((await linkTo(first.id)).data.url).toBe(`https://bucket/${first.id}`);
  for (const _ of [2, 3]) {
    await startExport(deps, CALLER);
    await finish(given);
  }
  await expect(startExport(deps, CALLER)).rejects.toMatchObject({ code: 'rate_limited' });
  await expect(linkTo('exp_other')).rejects.toThrow('not found');
  clock.now += 7 * 86_400_000;
  await expect(linkTo(first.id)).rejects.toThrow('7 days');
});

test('a failed export does not block another one', async () => {
  const given = await world();
  const { deps, clock } = given;
  const { data: first } = await startExport(deps, CALLER);
  clock.now += 86_400_000 - 60_000;
  await expect(startExport(deps, CALLER)).rejects.toThrow('An export of this account is in progress');
  clock.now += 60_000;
  const { data: second } = await startExport(deps, CALLER);
  expect(await deps.table.get(AccountExport, { accountId: 'acc_1', id: first.id })).toMatchObject({
    status: 'FAILED',
    finishedAt: expect.any(String),
  });
  await finish(given);
  expect(await given.read()).toMatchObject({ id: second.id, status: 'READY' });

  // One that the table has deleted, and one that finished without its account hearing of it.
  const name = (exportId: string) => deps.table.transact([change(Account, { id: 'acc_1' }, { set: { exportId } })]);
  await name('exp_expired');
  const { data: third } = await startExport(deps, CALLER);
  await deps.table.transact([remove(AccountExport, { accountId: 'acc_1', id: third.id })]);
  clock.now += 86_400_000;
  await name(second.id);
  const { data: fourth } = await startExport(deps, CALLER);
  expect(await deps.table.get(Account, { id: 'acc_1' })).toMatchObject({ exportId: fourth.id });
  expect(await deps.table.get(AccountExport, { accountId: 'acc_1', id: second.id })).toMatchObject({ status: 'READY' });
});

test('writes an export from the beginning if its upload no longer exists', async () => {
  const given = await world();
  await startExport(given.deps, CALLER);
  await given.run(given.steady);
  expect(await given.read()).toMatchObject({ status: 'RUNNING' });
  given.loseUploads();
  await finish(given);
  expect(await given.read()).toMatchObject({ status: 'READY' });
  expect(given.begun()).toBe(2);
  expect(ids((await rowsOf(given.archive())).deployments)).toHaveLength(6);
});

test('a large archive is uploaded in parts, and continues in the middle of one', async () => {
  const { exports, archive } = bucket();
  const of = { accountId: 'acc_1', id: 'exp_1', createdAt: '2026-01-31T09:00:00.000Z' };
  // Random, so that it cannot be compressed.
  const content = randomBytes(3 * 1024 ** 2);
  for (let file = 0; file < 9; file += 1) {
    const open = await openArchive(exports, of, 0);
    expect(open.cursor).toBe(file);
    await open.add(`file-${file}`, content);
    // Added by a process that dies: it is not in the archive.
    if (file === 4) await (await openArchive(exports, of, 0)).add('lost', content);
    open.cursor = file + 1;
    await open.save();
  }
  const last = await openArchive(exports, of, 0);
  await last.end();
  await last.end();
  const files = await entriesOf(archive());
  expect([...files.keys()]).toEqual(Array.from({ length: 9 }, (_, file) => `file-${file}`));
  const text = content.toString();
  expect([...files.values()].every((each) => each === text)).toBe(true);
}, 120_000);
