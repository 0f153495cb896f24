import { expect, test } from 'vitest';
import { Notification, notificationsOf } from '../../table/entities/notifications.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import type { Caller } from '../deps.ts';
import {
  incidentOfEntry,
  incidentOfEvent,
  incidentOfTransaction,
  notify,
  readInbox,
  setNotificationSettings,
} from './notifications.ts';

const at = '2026-11-23T08:00:00.000Z';
const failure = (created: string, applicationId = 'app_1') =>
  incidentOfEvent({
    id: 'evt_1',
    accountId: 'acc_1',
    type: 'deployment.failed' as const,
    created,
    data: { applicationId, deploymentId: 'dep_1', commitSha: 'abc' },
  });

test('repeated failures are one notification per application and day, with the time of the last failure', async () => {
  const { steady } = simulation();
  const times = Array.from({ length: 100 }, (_, minute) => new Date(Date.parse(at) + minute * 60_000).toISOString());
  for (const time of times) await notify(steady.deps, failure(time));
  await notify(steady.deps, failure(at, 'app_2'));
  await notify(steady.deps, failure('2026-11-24T00:00:00.000Z'));
  const stored = await steady.deps.table.all(Notification, notificationsOf('acc_1'));
  expect(stored.map(({ day, subjectId, at }) => [day, subjectId, at])).toEqual([
    ['2026-11-24', 'app_1', '2026-11-24T00:00:00.000Z'],
    ['2026-11-23', 'app_2', at],
    ['2026-11-23', 'app_1', times.at(-1)],
  ]);
});

test('a busy kind, turned off or not, hides no newer notification of another kind', async () => {
  const { steady } = simulation();
  const of = { accountId: 'acc_1', path: '/', title: '' };
  // Within a day, keys are sorted by kind: a hundred domains come before the evening's failed deployment.
  const domains = Array.from({ length: 100 }, (_, n) => ({
    ...of,
    kind: 'domain-problem' as const,
    subjectId: `${n}`,
    at,
  }));
  const evening = { ...of, kind: 'deployment-failed' as const, subjectId: 'app_1', at: '2026-11-23T20:00:00.000Z' };
  const before = { ...evening, at: '2026-11-22T20:00:00.000Z' };
  await notify(steady.deps, [...domains, evening, before]);
  const session = { subject: 'sub_1', key: 'k', expiresAtEpoch: 0, readProfile: () => expect.unreachable() };
  const caller: Caller = { accountId: 'acc_1', keyId: '', login: true, session };
  const { notifications } = await readInbox(steady.deps, caller);
  expect(notifications).toHaveLength(50);
  expect(notifications.slice(0, 2)).toMatchObject([{ at: evening.at }, { kind: 'domain-problem' }]);
  await setNotificationSettings(steady.deps, caller, { off: ['domain-problem'] });
  const shown = (await readInbox(steady.deps, caller)).notifications.map((each) => each.at);
  expect(shown).toEqual([evening.at, before.at]);
});

test('a balance notifies when it falls below the threshold, and not again while it stays below', () => {
  const spend = (amountCents: number, balanceAfterCents: number) =>
    incidentOfTransaction({
      accountId: 'acc_1',
      serial: 1,
      type: 'PAYMENT' as const,
      amountCents,
      balanceAfterCents,
      description: '',
      createdAt: at,
    }).map(({ kind, title }) => [kind, title]);
  expect(spend(-1000, 4999)).toEqual([['low-balance', 'Your balance is below R50.00.']]);
  expect(spend(-1000, 5000)).toEqual([]);
  expect(spend(-1000, 3000)).toEqual([]);
  expect(spend(2000, 4000)).toEqual([]);
});

test('an endpoint that the platform disabled notifies; one that its owner disabled does not', () => {
  const entry = (kind: 'PLATFORM' | 'LOGIN', action: string) =>
    incidentOfEntry({
      id: 'aud_1',
      accountId: 'acc_1',
      action,
      actor: { kind, id: null },
      subjectId: 'whk_1',
      before: null,
      after: { url: 'https://example.com', domain: 'example.co.za' },
      address: null,
      requestId: null,
      createdAt: at,
    }).map(({ kind, path, title }) => [kind, path, title]);
  expect(entry('PLATFORM', 'webhook.disabled')).toEqual([
    [
      'endpoint-disabled',
      '/developers/webhooks/whk_1',
      'The webhook endpoint https://example.com was disabled after too many failed deliveries.',
    ],
  ]);
  expect(entry('LOGIN', 'webhook.disabled')).toEqual([]);
  expect(entry('PLATFORM', 'domain.expired')).toEqual([['domain-problem', '/domains/whk_1', 'example.co.za expired.']]);
  const refused = 'example.co.za could not be registered. What you paid for it is back in your wallet.';
  expect(entry('PLATFORM', 'domain.failed')).toEqual([['domain-problem', '/domains/whk_1', refused]]);
  expect(entry('PLATFORM', 'key.created')).toEqual([]);
});
