import { expect, test } from 'vitest';
import type { NotificationKind } from '../../../contract/accounts/notifications.ts';
import type { MemberRole } from '../../../contract/roles.ts';
import type { Mail } from '../../../providers/mail/mailer.ts';
import type { Job } from '../../../providers/queues/job-queue.ts';
import { Login } from '../../../table/entities/accounts.ts';
import { Team } from '../../../table/entities/members.ts';
import { Notification, NotificationReader } from '../../../table/entities/notifications.ts';
import { change, create, upsert } from '../../../table/writes.ts';
import { newSimulatedAccount } from '../../../test/simulation/account.ts';
import { simulatedMail } from '../../../test/simulation/mail.ts';
import { simulation } from '../../../test/simulation/simulation.ts';
import { notify, readInbox } from '../../accounts/notifications.ts';
import { showUnsubscribe, unsubscribe, verifyUnsubscribe } from '../../accounts/unsubscribe.ts';
import { performJob } from '../jobs.ts';
import { MAIL_JOBS } from './mail-jobs.ts';

const HOUR_MS = 3_600_000;
const accountId = 'acc_1';

/** An account with members, its notifications, and the queue of emails. */
async function harness(roles: Record<string, MemberRole> = { ann: 'owner' }) {
  const { steady, clock, memory } = simulation();
  const { deps } = steady;
  const members = Object.entries(roles).map(([subject, role]) => ({
    subject,
    role,
    email: `${subject}@example.com`,
    name: subject,
    joinedAt: '2026-01-01T00:00:00.000Z',
  }));
  await deps.table.transact([
    newSimulatedAccount(accountId),
    create(Team, { accountId, version: 1, members, invitations: [] }),
    ...members.map(({ subject, email }) => create(Login, { subject, accountId, email })),
  ]);
  const { queue, sent, state, mails, mailer, drain } = simulatedMail(clock);
  const needs = { ...deps, mails, mailer };
  const perform = (job: Job) => performJob(MAIL_JOBS, needs, job, async () => undefined);
  const run = () => drain(perform);
  const happen = async (subjectId: string, kind: NotificationKind = 'deployment-failed') => {
    const at = deps.now().toISOString();
    const incident = { accountId, kind, subjectId, title: `${subjectId} failed.`, path: `/apps/${subjectId}`, at };
    await notify(deps, [incident]);
    await mails.send([{ job: 'notification.announce', key: Notification.key({ ...incident, day: at.slice(0, 10) }) }]);
  };
  const set = (subject: string, fields: Partial<NotificationReader>) =>
    deps.table.write(
      NotificationReader,
      upsert(NotificationReader, { accountId, subject }, { set: { accountId, subject, ...fields } }),
    );
  return { deps, clock, memory, queue, sent, state, run, happen, perform, set };
}

const tokenIn = (mail: Mail | undefined) => mail?.unsubscribeUrl?.split('/').at(-1) ?? '';

test('250 failures are one email at once, and one for all others at the end of the hour', async () => {
  const { clock, sent, run, happen, queue } = await harness();
  for (let number = 0; number < 250; number += 1) {
    await happen(`app_${number}`);
    if (number === 0) await run();
  }
  await run();
  expect(sent.map(({ subject }) => subject)).toEqual(['app_0 failed']);
  for (let quarter = 1; quarter <= 5; quarter += 1) {
    clock.now += HOUR_MS / 4;
    await run();
  }
  expect(sent).toHaveLength(2);
  expect(sent[1]?.subject).toBe('More than 200 × Failed deployments');
  expect(sent[1]?.text).toContain('And more than 190 more.');
  // What was sent is counted in no further email.
  for (const name of ['one', 'two']) await happen(name);
  clock.now += HOUR_MS;
  await run();
  expect(sent[2]?.subject).toBe('2 × Failed deployments');
  expect(queue).toEqual([]);
});

test('a repetition of the same job, or of the same failure on that day, sends nothing more', async () => {
  const { clock, sent, run, happen, set, deps, perform } = await harness();
  await happen('app_1');
  await run();
  clock.now += 2 * HOUR_MS;
  await happen('app_1');
  await run();
  expect(sent).toHaveLength(1);
  const reader = await deps.table.get(NotificationReader, { accountId, subject: 'ann' });
  // The process died after it had sent, before it stored that: the email comes again, once.
  await set('ann', { mailed: {} });
  const key = Notification.key({ accountId, day: '2026-01-31', kind: 'deployment-failed', subjectId: 'app_1' });
  for (const _ of [1, 2]) await perform({ job: 'notification.mail', key, accountId, detail: 'ann' });
  expect(sent).toHaveLength(2);
  expect(reader?.mailClaimedUntil).toBeUndefined();
});

test('an email goes to the members whose role is concerned, and who did not switch the kind off', async () => {
  const roles = { ann: 'owner', dev: 'developer', pay: 'billing', see: 'read-only' } as const;
  const { sent, run, happen, set } = await harness(roles);
  const receivers = () => sent.splice(0).map(({ to }) => to.split('@')[0]);
  await happen('app_1');
  await run();
  expect(receivers()).toEqual(['ann', 'dev']);
  await happen('wallet', 'low-balance');
  await run();
  expect(receivers()).toEqual(['ann', 'pay']);
  await set('ann', { offByMail: ['endpoint-disabled'] });
  await happen('whk_1', 'endpoint-disabled');
  await run();
  expect(receivers()).toEqual(['dev']);
});

test('what SES refuses fails its job, and is sent once SES takes it', async () => {
  const { sent, state, happen, run, perform } = await harness();
  state.refuses = true;
  await happen('app_1');
  await expect(run()).rejects.toThrow('MessageRejected');
  const key = Notification.key({ accountId, day: '2026-01-31', kind: 'deployment-failed', subjectId: 'app_1' });
  state.refuses = false;
  await perform({ job: 'notification.mail', key, accountId, detail: 'ann' });
  expect(sent).toHaveLength(1);
});

test('an email of which another process is sending waits, and is sent if that process died', async () => {
  const { clock, sent, set, happen, run } = await harness();
  await set('ann', { mailVersion: 1, mailClaimedUntil: new Date(clock.now + 30_000).toISOString() });
  await happen('app_1');
  await run();
  expect(sent).toEqual([]);
  clock.now += 31_000;
  await run();
  expect(sent).toHaveLength(1);
});

test('the link in an email switches its kind off for its login, opening it changes nothing', async () => {
  const { deps, clock, sent, happen, run, memory } = await harness({ ann: 'owner', bob: 'owner' });
  await happen('app_1');
  await run();
  const token = tokenIn(sent[0]);
  const subscription = await verifyUnsubscribe(deps, { token });
  const before = JSON.stringify(memory.items('NOTIFICATION_READER'));
  const { output } = await showUnsubscribe(deps, subscription);
  expect(output).toContain('<form method="post">');
  expect(output, 'the account, of which the reader has several').toContain('<p>Account: Test</p>');
  expect(JSON.stringify(memory.items('NOTIFICATION_READER'))).toBe(before);
  for (const _ of [1, 2])
    expect((await unsubscribe(deps, await verifyUnsubscribe(deps, { token }))).output).toContain('Account: Test');
  expect(await deps.table.get(NotificationReader, { accountId, subject: 'ann' })).toMatchObject({
    offByMail: ['deployment-failed'],
  });
  clock.now += 2 * HOUR_MS;
  await happen('app_2');
  await run();
  expect(sent.map(({ to }) => to)).toEqual(['ann@example.com', 'bob@example.com', 'bob@example.com']);
});

test('a link that was changed, or made for another kind or login, is refused', async () => {
  const { deps, sent, happen, run } = await harness({ ann: 'owner', bob: 'owner' });
  await happen('app_1');
  await run();
  const [ann, bob] = sent.map(tokenIn);
  const parts = (ann ?? '').split('.');
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const forged = [
    [parts[0], parts[1], encode('low-balance'), parts[3]].join('.'),
    [parts[0], encode('bob'), parts[2], parts[3]].join('.'),
    [parts[0], encode('zoe'), parts[2], parts[3]].join('.'),
    [...parts.slice(0, 3), ''].join('.'),
    'x',
    '...',
    `${bob}x`,
  ];
  for (const token of forged)
    await expect(verifyUnsubscribe(deps, { token })).rejects.toMatchObject({ code: 'unauthorized' });
});

test('an account that is gone, and a member who was removed, are sent nothing', async () => {
  const { deps, sent, happen, run, queue, perform } = await harness({ ann: 'owner', dev: 'developer' });
  await happen('app_1');
  const announced = queue.splice(0).map(({ job }) => job);
  for (const job of announced) await perform(job);
  const { members = [] } = (await deps.table.get(Team, { accountId })) ?? {};
  await deps.table.write(Team, change(Team, { accountId }, { set: { members: members.slice(0, 1) } }));
  await run();
  expect(sent.map(({ to }) => to)).toEqual(['ann@example.com']);
});

test('a failure that happens after 200 others of the day were sent is sent too, whatever its name', async () => {
  const { clock, sent, run, happen } = await harness();
  for (let number = 100; number < 320; number += 1) await happen(`app_${number}`);
  for (let hour = 0; hour < 3; hour += 1) {
    await run();
    clock.now += HOUR_MS;
  }
  const before = sent.length;
  await happen('app_000');
  await run();
  expect(sent.slice(before).map(({ subject }) => subject)).toEqual(['app_000 failed']);
});

test('of failures behind 200 others of the day, one is sent at once and all others at the end of the hour', async () => {
  const { clock, sent, run, happen, queue } = await harness();
  for (let number = 100; number < 320; number += 1) await happen(`app_${number}`);
  await run();
  clock.now += HOUR_MS;
  await run();
  const before = sent.length;
  for (const subjectId of ['app_000', 'app_001', 'app_002', 'app_003']) {
    await happen(subjectId);
    await run();
    clock.now += HOUR_MS / 8;
  }
  for (let quarter = 0; quarter < 8; quarter += 1) {
    clock.now += HOUR_MS / 4;
    await run();
  }
  expect(sent.slice(before).map(({ subject }) => subject)).toEqual(['app_000 failed', '3 × Failed deployments']);
  expect(queue).toEqual([]);
});

test('failures behind as many as are read are one email of the hour, which says that there are more', async () => {
  const { clock, sent, run, happen, queue } = await harness();
  for (let number = 1000; number < 2001; number += 1) await happen(`app_${number}`);
  await run();
  clock.now += HOUR_MS;
  await run();
  expect(sent.map(({ subject }) => subject)).toEqual(['More than 200 × Failed deployments']);
  for (const subjectId of ['app_000', 'app_001', 'app_002']) {
    await happen(subjectId);
    await run();
    clock.now += 1000;
  }
  for (let hour = 0; hour < 3; hour += 1) {
    clock.now += HOUR_MS;
    await run();
  }
  expect(sent.slice(1).map(({ text }) => text)).toEqual([
    expect.stringMatching(/^app_000 failed\./),
    expect.stringMatching(/^app_00[12] failed\.\n[^\n]+\n\nAnd more\. The dashboard/),
  ]);
  expect(queue).toEqual([]);
});

test('what was sent is remembered for as long as an email may be about it', async () => {
  const { deps, clock, run, happen } = await harness();
  await happen('app_1');
  await run();
  clock.now += 3 * 24 * HOUR_MS;
  await happen('app_1', 'domain-problem');
  await run();
  const reader = await deps.table.get(NotificationReader, { accountId, subject: 'ann' });
  expect(reader?.mailed).toMatchObject({
    'deployment-failed': { sent: [] },
    'domain-problem': { sent: [expect.stringMatching(/app_1$/)] },
  });
});

test('what was sent is not remembered for ever if emails of a kind are sent daily', async () => {
  const { deps, clock, sent, run, happen } = await harness();
  for (let day = 0; day < 40; day += 1) {
    await happen(`app_${day}`);
    await run();
    clock.now += 24 * HOUR_MS;
  }
  expect(sent).toHaveLength(40);
  const reader = await deps.table.get(NotificationReader, { accountId, subject: 'ann' });
  expect(reader?.mailed?.['deployment-failed']?.sent.length).toBeLessThanOrEqual(15);
});

test('two clicks on one link at the same moment switch a kind off once', async () => {
  const { deps, sent, run, happen } = await harness();
  await happen('app_1');
  await run();
  const verified = await verifyUnsubscribe(deps, { token: tokenIn(sent[0]) });
  await Promise.all([1, 2].map(() => unsubscribe(deps, verified)));
  const session = { subject: 'ann', key: 'k', expiresAtEpoch: 0, readProfile: () => expect.unreachable() };
  expect((await readInbox(deps, { accountId, keyId: '', session })).offByMail).toEqual(['deployment-failed']);
});

test.each(['in their order', 'in reverse'])(
  'emails that could not be sent for days are all sent afterwards, %s, and once',
  async (order) => {
    const { clock, sent, run, happen, queue } = await harness();
    await happen('app_0');
    await run();
    clock.now += 2 * HOUR_MS;
    for (const name of ['app_1', 'app_2', 'app_3']) {
      await happen(name);
      clock.now += 20 * HOUR_MS;
    }
    clock.now += 72 * HOUR_MS;
    if (order === 'in reverse') queue.reverse();
    const again = queue.map((each) => ({ ...each }));
    const catchUp = async () => {
      for (let hour = 0; hour < 6; hour += 1) {
        await run();
        // Of another kind, because one item remembers what was sent of all kinds.
        await happen('app_9', 'domain-problem');
        clock.now += HOUR_MS;
      }
      await run();
    };
    await catchUp();
    const ofDeployments = () => sent.filter(({ text }) => text.includes('app_') && !text.includes('app_9'));
    const names = () => ofDeployments().flatMap(({ text }) => text.match(/app_\d(?= failed)/g) ?? []);
    expect(names().toSorted()).toEqual(['app_0', 'app_1', 'app_2', 'app_3']);
    queue.push(...again);
    await catchUp();
    expect(names()).toHaveLength(4);
    expect(queue).toEqual([]);
  },
);
