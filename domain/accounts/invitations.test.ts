import { expect, test } from 'vitest';
import { INVITATION_DAYS, MAX_MEMBERS, MAX_MEMBERSHIPS } from '../../contract/accounts/members.ts';
import { Login } from '../../table/entities/accounts.ts';
import { change, create } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { simulation } from '../../test/simulation/simulation.ts';
import type { Caller } from '../deps.ts';
import { DAY_MS } from '../time.ts';
import { acceptInvitation, inviteMember, resendInvitation, revokeInvitation } from './invitations.ts';
import { listMembers } from './members.ts';

/** An account whose owner invites, and a guest with an account of their own. */
async function world() {
  const { steady, clock } = simulation();
  const { deps } = steady;
  const callerOf = (subject: string, accountId: string, profile = {}): Caller => {
    const readProfile = async () => ({ email: `${subject}@example.com`, name: subject, isVerified: true, ...profile });
    return { accountId, keyId: '', login: true, session: { subject, key: 'k', expiresAtEpoch: 0, readProfile } };
  };
  for (const [subject, id] of [
    ['owner', 'acc_1'],
    ['guest', 'acc_2'],
  ] as const)
    await deps.table.transact([
      newSimulatedAccount(id, {
        logins: [subject],
        email: `${subject}@example.com`,
        limits: { invitationsPerDay: 500 },
      }),
      create(Login, { subject, accountId: id, listed: true }),
    ]);
  const owner = callerOf('owner', 'acc_1');
  const invite = async (email: string) => (await inviteMember(deps, owner, { email, role: 'billing' })).data;
  const accept = ({ link }: { link: string }, profile = {}) =>
    acceptInvitation(deps, callerOf('guest', 'acc_2', profile), { token: new URL(link).hash.slice(1) });
  const emails = async () => {
    const { members, invitations } = (await listMembers(deps, owner)).data;
    return [members, invitations].map((all) => all.map(({ email }) => email));
  };
  return {
    deps,
    clock,
    invite,
    accept,
    emails,
    resend: async (id: string) => (await resendInvitation(deps, owner, { id })).data,
    revoke: (id: string) => revokeInvitation(deps, owner, { id }),
  };
}

const GUEST = 'guest@example.com';
const notFound = { code: 'not_found' };
const conflict = { code: 'conflict' };

test('an invitation expires; the same invitation with a new link does not', async () => {
  const { clock, invite, accept, emails, resend } = await world();
  const first = await invite(GUEST);
  clock.now = Date.parse(first.expiresAt);
  await expect(accept(first)).rejects.toMatchObject(notFound);
  expect(await emails()).toEqual([['owner@example.com'], []]);
  const second = await resend(first.id);
  await expect(accept(first)).rejects.toMatchObject(notFound);
  clock.now = Date.parse(second.expiresAt) - 1;
  expect((await accept(second)).data).toMatchObject({ id: 'acc_1', role: 'billing' });
  expect(await emails()).toEqual([['owner@example.com', GUEST], []]);
});

test('a new link replaces that of its own invitation only', async () => {
  const { invite, accept, resend, emails } = await world();
  const [invited, other] = [await invite(GUEST), await invite('other@example.com')];
  await resend(other.id);
  expect(await emails()).toEqual([['owner@example.com'], [GUEST, 'other@example.com']]);
  await expect(resend('inv_1')).rejects.toMatchObject(notFound);
  expect((await accept(invited)).data).toMatchObject({ id: 'acc_1' });
});

test.each([{ isVerified: false }, { email: 'other@example.com' }])(
  'an invitation is not for a person with the profile %j',
  async (profile) => {
    const { invite, accept } = await world();
    await expect(accept(await invite(GUEST), profile)).rejects.toMatchObject({ code: 'forbidden' });
  },
);

test('a member or an invited address is not invited again', async () => {
  const { invite, accept, emails } = await world();
  const invited = await invite(GUEST);
  await expect(invite(GUEST)).rejects.toMatchObject(conflict);
  await accept(invited);
  for (const email of [GUEST, 'owner@example.com']) await expect(invite(email)).rejects.toMatchObject(conflict);
  expect(await emails()).toEqual([['owner@example.com', GUEST], []]);
});

test('a member with a second address does not join a second time', async () => {
  const { invite, accept, emails } = await world();
  await accept(await invite(GUEST));
  const second = { email: 'second@example.com' };
  await expect(accept(await invite(second.email), second)).rejects.toMatchObject(conflict);
  expect(await emails()).toEqual([['owner@example.com', GUEST], [second.email]]);
});

test('members and open invitations are limited together', async () => {
  const { clock, invite, accept, revoke, emails } = await world();
  const invitations = [await invite(GUEST)];
  while (1 + invitations.length < MAX_MEMBERS) invitations.push(await invite(`${invitations.length}@example.com`));
  const [first, second] = invitations;
  if (!first || !second) expect.unreachable();
  await accept(first);
  await expect(invite('late@example.com')).rejects.toMatchObject(conflict);
  await revoke(second.id);
  await invite('late@example.com');
  await expect(invite('later@example.com')).rejects.toMatchObject(conflict);
  clock.now += INVITATION_DAYS * DAY_MS;
  await invite('later@example.com');
  expect(await emails()).toEqual([['owner@example.com', GUEST], ['later@example.com']]);
});

test('the memberships of a login are limited', async () => {
  const { deps, invite, accept } = await world();
  const invited = await invite(GUEST);
  const memberIn = (count: number) => {
    const ids = Array.from({ length: count }, (_, index) => `acc_other${index}`);
    const memberships = Object.fromEntries(ids.map((id) => [id, { role: 'developer', accountName: id }]));
    return deps.table.transact([change(Login, { subject: 'guest' }, { set: { memberships } })]);
  };
  await memberIn(MAX_MEMBERSHIPS);
  await expect(accept(invited)).rejects.toMatchObject(conflict);
  await memberIn(MAX_MEMBERSHIPS - 1);
  expect((await accept(invited)).data).toMatchObject({ id: 'acc_1' });
});
