import { expect, test } from 'vitest';
import { limitOf } from '../../../contract/limits/limits.ts';
import type { Mail } from '../../../providers/mail/mailer.ts';
import type { Job } from '../../../providers/queues/job-queue.ts';
import { Account } from '../../../table/entities/accounts.ts';
import { Team } from '../../../table/entities/members.ts';
import { change } from '../../../table/writes.ts';
import { newSimulatedAccount } from '../../../test/simulation/account.ts';
import { simulatedMail } from '../../../test/simulation/mail.ts';
import { simulation } from '../../../test/simulation/simulation.ts';
import { inviteMember, resendInvitation, revokeInvitation } from '../../accounts/invitations.ts';
import type { Caller } from '../../deps.ts';
import { performJob } from '../jobs.ts';
import { mailNewInvitations, renderInvitation } from './invitation.ts';
import { MAIL_JOBS } from './mail-jobs.ts';
import { shownName } from './messages.ts';

const HOUR_MS = 3_600_000;

/** Accounts that invite, and the queue of emails. */
async function harness() {
  const { steady, clock, memory } = simulation();
  const settings = { ...steady.deps.settings, mailFrom: 'no-reply@example.com' };
  const deps = { ...steady.deps, settings };
  const { queue, sent, state, mails, mailer, drain } = simulatedMail(clock);
  const perform = (job: Job) => performJob(MAIL_JOBS, { ...deps, mails, mailer }, job, async () => undefined);
  const open = async (id: string): Promise<Caller> => {
    await deps.table.transact([newSimulatedAccount(id)]);
    await deps.table.write(Account, change(Account, { id }, { set: { logins: ['ann'], name: 'Acme' } }));
    return { accountId: id, keyId: '', email: 'ann@example.com' };
  };
  const readTeam = async ({ accountId }: Caller) => {
    const team = await deps.table.get(Team, { accountId });
    if (!team) throw new Error('no team');
    return team;
  };
  /** Delivers a change of the members, as the stream does. */
  const deliver = async (caller: Caller, before?: Team) =>
    mailNewInvitations({ mails }, await readTeam(caller), before);
  const run = () => drain(perform);
  const invite = async (caller: Caller, email = 'bob@example.org') => {
    const { data } = await inviteMember(deps, caller, { email, role: 'developer' });
    await deliver(caller);
    return data;
  };
  return { deps, clock, memory, queue, sent, state, open, invite, deliver, run, perform, readTeam };
}

const linkIn = (mail: Mail | undefined) => /https?:\S+#\S+/.exec(mail?.text ?? '')?.[0];

test('an invitation is one email, with a link of its own, whose secret is stored nowhere', async () => {
  const { invite, open, run, sent, deliver, memory, readTeam, queue } = await harness();
  const owner = await open('acc_1');
  const { link, isEmailed, emailedAt } = await invite(owner);
  expect([isEmailed, emailedAt]).toEqual([true, null]);
  const queued = JSON.stringify(queue);
  // The stream delivers a change more than once, and the email's own writes are changes too.
  await deliver(owner);
  await run();
  await deliver(owner);
  await run();
  expect(sent.map(({ to, subject }) => [to, subject])).toEqual([['bob@example.org', 'Invitation to Acme']]);
  const own = linkIn(sent[0]);
  expect(own).not.toBe(link);
  const secret = own?.split('.').at(-1) ?? '';
  expect(secret).toHaveLength(32);
  expect(JSON.stringify(memory.items('TEAM')) + queued).not.toContain(secret);
  expect((await readTeam(owner)).invitations).toMatchObject([{ mail: { sentAt: expect.any(String) } }]);
});

test('an address receives one invitation an hour, from any number of accounts and requests', async () => {
  const { deps, invite, open, run, sent, clock, deliver, readTeam } = await harness();
  const owner = await open('acc_1');
  const { id } = await invite(owner);
  await run();
  const other = await invite(await open('acc_2'), 'BOB@example.org'.toLowerCase());
  expect(other.isEmailed).toBe(false);
  const before = await readTeam(owner);
  const again = (await resendInvitation(deps, owner, { id })).data;
  expect([again.isEmailed, again.emailedAt]).toEqual([false, null]);
  await deliver(owner, before);
  await run();
  expect(sent).toHaveLength(1);
  clock.now += HOUR_MS;
  const read = await readTeam(owner);
  expect((await resendInvitation(deps, owner, { id })).data.isEmailed).toBe(true);
  await deliver(owner, read);
  await run();
  expect(sent).toHaveLength(2);
});

test('an account invites at most so many people in a day, whatever it revokes', async () => {
  const { deps, open } = await harness();
  const owner = await open('acc_1');
  const account = await deps.table.get(Account, { id: 'acc_1' });
  const limit = limitOf({ plan: { appLimit: account?.plan.appLimit ?? 0 } }, 'invitationsPerDay');
  for (let number = 0; number < limit; number += 1) {
    const body = { email: `p${number}@example.org`, role: 'billing' as const };
    const { id } = (await inviteMember(deps, owner, body)).data;
    await revokeInvitation(deps, owner, { id });
  }
  await expect(inviteMember(deps, owner, { email: 'one@example.org', role: 'billing' })).rejects.toMatchObject({
    code: 'rate_limited',
  });
});

test('what SES refuses is sent once SES takes it', async () => {
  const { invite, open, run, sent, state, deliver, queue } = await harness();
  const owner = await open('acc_1');
  await invite(owner);
  const [{ job } = { job: undefined }] = queue;
  state.refuses = true;
  await expect(run()).rejects.toThrow('MessageRejected');
  state.refuses = false;
  await deliver(owner);
  if (job) queue.push({ job, at: 0 });
  await run();
  expect(sent).toHaveLength(1);
});

test('an invitation that was revoked, or whose account is gone, is not sent', async () => {
  const { deps, invite, open, run, sent, queue } = await harness();
  const owner = await open('acc_1');
  const { id } = await invite(owner);
  await revokeInvitation(deps, owner, { id });
  await run();
  expect([sent.length, queue.length]).toEqual([0, 0]);
});

test('the account’s name is all that the inviting person can write, on one line and without links', () => {
  const name = 'WIN <b>R1,000</b>\r\nBcc: x@evil.example https://evil.example/now www.evil.example';
  const shown = shownName(name);
  expect(shown).not.toMatch(/[.:/@<>\r\n]/);
  expect(shown.length).toBeLessThanOrEqual(60);
  expect(shownName('.:/')).toBe('an account');
  expect(shownName(`a${'\u{20000}'.repeat(60)}`)).toBe(`a${'\u{20000}'.repeat(29)}`);
  const invitation = {
    id: 'inv_1',
    email: 'a@example.org',
    role: 'billing' as const,
    hash: '',
    invitedBy: null,
    createdAt: '2026-11-23T00:00:00.000Z',
    expiresAt: '2026-11-30T00:00:00.000Z',
  };
  const { subject, html, text } = renderInvitation(name, invitation, 'https://example.com/dashboard/invitation#t');
  expect(subject).toBe(`Invitation to ${shown}`);
  expect(`${html}${text}`.match(/https?:[^"\s]+/g)).toEqual(
    Array(2).fill('https://example.com/dashboard/invitation#t'),
  );
});
