import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createKey, listKeys } from '../../../contract/accounts/api-keys.ts';
import { cancelDeletion, requestDeletion } from '../../../contract/accounts/deletion.ts';
import { getMe } from '../../../contract/accounts/me.ts';
import {
  acceptInvitation,
  inviteMember,
  leaveAccount,
  listMembers,
  removeMember,
  resendInvitation,
  revokeInvitation,
  updateMember,
} from '../../../contract/accounts/members.ts';
import { deleteSession } from '../../../contract/accounts/session.ts';
import { createApp, listApps } from '../../../contract/apps/apps.ts';
import { listAuditEntries } from '../../../contract/audit/audit.ts';
import type { Client } from '../../../contract/client.ts';
import { ACCOUNT_HEADER, hasRight, MEMBER_ROLES, type MemberRole, roleMessage } from '../../../contract/roles.ts';
import { type Route, toDashboardPath } from '../../../contract/route.ts';
import { dashboardRoutes, routes, streamedRoutes } from '../../../contract/routes.ts';
import { sentEmails } from '../../support/emails.ts';
import { clientOf, codeOf, newAccount, type OpenedAccount, waitFor } from '../../support/harness.ts';
import { LoginBrowser } from '../../support/sign-in.ts';

const PASSWORD = 'correct horse battery';

/** Signs a new person up, as the sign-in pages do. */
async function signUp(email = `${randomUUID()}@example.com`) {
  const { access_token: token } = await new LoginBrowser().signIn({ email, password: PASSWORD, name: 'Thandi' });
  const inAccount = (id: string): Client => clientOf({ accessToken: () => token, headers: { [ACCOUNT_HEADER]: id } });
  return { email, token, own: clientOf({ accessToken: () => token }), inAccount };
}
type Person = Awaited<ReturnType<typeof signUp>>;

const tokenIn = (link: string | null): string => new URL(link ?? '').hash.slice(1);

/** Invites a person and returns the answer to the accepted invitation. */
async function join(account: Pick<OpenedAccount, 'dashboard'>, person: Person, role: MemberRole) {
  const { data } = (await account.dashboard.call(inviteMember, { body: { email: person.email, role } })).body;
  return await person.own.call(acceptInvitation, { body: { token: tokenIn(data.link) } });
}

const idOf = async (person: Person): Promise<string> => (await person.own.call(getMe)).body.data.login.id;

test('an invited person joins with the link, acts in both accounts, and the audit log names the address', async () => {
  const account = await newAccount({ email: 'owner@example.com' });
  const person = await signUp();
  const joined = await join(account, person, 'developer');
  expect(joined.body.data).toEqual({ id: account.id, name: 'Test', role: 'developer' });
  const there = person.inAccount(account.id);
  const me = (await there.call(getMe)).body.data;
  expect(me).toMatchObject({ roles: ['developer'], account: { id: account.id }, login: { email: person.email } });
  expect(me.accounts).toEqual([
    { id: expect.stringMatching(/^acc_/), name: 'Thandi', role: 'owner' },
    { id: account.id, name: 'Test', role: 'developer' },
  ]);
  const made = await there.call(createApp, { body: { name: 'By a member' } });
  expect(made.status).toBe(201);
  expect((await account.call(listApps)).body.data).toHaveLength(1);
  expect((await person.own.call(listApps)).body.data).toEqual([]);
  const { members } = (await there.call(listMembers)).body.data;
  expect(members.map(({ email, role, isYou }) => [email, role, isYou])).toEqual([
    ['owner@example.com', 'owner', false],
    [person.email, 'developer', true],
  ]);
  const entries = (await account.dashboard.call(listAuditEntries)).body.data;
  expect(entries.slice(0, 3).map(({ action, actor }) => [action, actor.kind, actor.name])).toEqual([
    ['app.created', 'LOGIN', person.email],
    ['member.joined', 'LOGIN', person.email],
    ['member.invited', 'LOGIN', 'owner@example.com'],
  ]);
});

describe('an invitation', () => {
  test('works once', async () => {
    const account = await newAccount();
    const person = await signUp();
    const body = { email: person.email, role: 'billing' as const };
    const token = tokenIn((await account.dashboard.call(inviteMember, { body })).body.data.link);
    const answers = await Promise.all([1, 2, 3].map(() => person.own.call(acceptInvitation, { body: { token } })));
    const [first, ...others] = answers.map(({ status }) => status).sort();
    expect(first).toBe(200);
    // The invitation is gone, or the person is a member already.
    for (const status of others) expect([404, 409]).toContain(status);
    expect((await account.dashboard.call(listMembers)).body.data).toMatchObject({ members: [{}, {}], invitations: [] });
  });

  test('reaches the address by email, with a link that works once too', async () => {
    const account = await newAccount();
    const person = await signUp();
    const body = { email: person.email, role: 'billing' as const };
    const { data } = (await account.dashboard.call(inviteMember, { body })).body;
    expect(data).toMatchObject({ isEmailed: true, emailedAt: null });
    const mail = await waitFor(async () => (await sentEmails()).find(({ to }) => to.includes(person.email)));
    expect(mail.subject).toBe('Invitation to Test');
    const [link = ''] = /https?:\S+\/dashboard\/invitation#\S+/.exec(mail.text) ?? [];
    expect(link).not.toBe(data.link);
    const invitations = async () => (await account.dashboard.call(listMembers)).body.data.invitations;
    await waitFor(async () => (await invitations())[0]?.emailedAt ?? undefined);
    expect((await person.own.call(acceptInvitation, { body: { token: tokenIn(link) } })).status).toBe(200);
    const again = await person.own.call(acceptInvitation, { body: { token: tokenIn(data.link) } });
    expect(codeOf(again)).toBe('not_found');
  });

  test('works for the invited address only', async () => {
    const account = await newAccount();
    const [invited, thief] = [await signUp(), await signUp()];
    const body = { email: invited.email.toUpperCase(), role: 'owner' as const };
    const token = tokenIn((await account.dashboard.call(inviteMember, { body })).body.data.link);
    const stolen = await thief.own.call(acceptInvitation, { body: { token } });
    expect([stolen.status, codeOf(stolen)]).toEqual([403, 'forbidden']);
    for (const id of [account.id, 'constructor', '__proto__'])
      expect((await thief.inAccount(id).call(getMe)).status).toBe(403);
    expect((await invited.own.call(acceptInvitation, { body: { token } })).status).toBe(200);
  });

  test('to an account that will be deleted is refused until the deletion is cancelled', async () => {
    const account = await newAccount({ email: 'owner@example.com' });
    const person = await signUp();
    const body = { email: person.email, role: 'developer' as const };
    const token = tokenIn((await account.dashboard.call(inviteMember, { body })).body.data.link);
    await account.dashboard.call(requestDeletion, { body: { confirm: 'owner@example.com' } });
    const accept = () => person.own.call(acceptInvitation, { body: { token } });
    const refused = await accept();
    expect([codeOf(refused), refused.error?.message]).toEqual([
      'conflict',
      expect.stringContaining('will be deleted on'),
    ]);
    await account.dashboard.call(cancelDeletion);
    // That of the person's own account is no hindrance: the login stays for the other.
    const { status } = await person.own.call(requestDeletion, { body: { confirm: person.email } });
    expect([status, (await accept()).status]).toEqual([202, 200]);
  });

  test('is refused when it was revoked, replaced or guessed', async () => {
    const account = await newAccount();
    const person = await signUp();
    const body = { email: person.email, role: 'developer' as const };
    const first = (await account.dashboard.call(inviteMember, { body })).body.data;
    expect(codeOf(await account.dashboard.call(inviteMember, { body }))).toBe('conflict');
    const params = { id: first.id };
    const second = (await account.dashboard.call(resendInvitation, { params })).body.data;
    expect((await account.dashboard.call(revokeInvitation, { params })).status).toBe(200);
    const texts = [first.link, second.link].map(tokenIn);
    for (const token of [...texts, `${account.id}.${first.id}.guess`, 'acc_0.inv_0.guess', '..', 'nonsense']) {
      const answer = await person.own.call(acceptInvitation, { body: { token } });
      expect([token, codeOf(answer)]).toEqual([token, 'not_found']);
    }
    const stored = (await account.dashboard.call(listMembers)).body.data;
    expect(stored.invitations).toEqual([]);
  });

  test.each([{ email: 'no address', role: 'owner' }, { email: 'a@example.com', role: 'root' }, { role: 'owner' }, {}])(
    'with the input %j is refused with 400',
    async (body) => {
      const { dashboard } = await newAccount();
      expect(codeOf(await dashboard.call(inviteMember, { body: body as never }))).toBe('invalid_request');
    },
  );
});

test('refuses a member who was removed or left at the next request, and a demoted member by the new role', async () => {
  const account = await newAccount();
  const person = await signUp();
  await join(account, person, 'owner');
  const [there, params] = [person.inAccount(account.id), { id: await idOf(person) }];
  const key = (await there.call(createKey, { body: { name: 'Theirs', scopes: ['read'] } })).body.data;
  expect((await account.dashboard.call(updateMember, { params, body: { role: 'read-only' } })).status).toBe(200);
  const refused = await there.call(createApp, { body: { name: 'No more' } });
  expect([refused.status, refused.error?.message]).toEqual([403, roleMessage('read-only', 'develop')]);
  expect((await there.call(listApps)).status).toBe(200);
  expect((await account.dashboard.call(removeMember, { params })).status).toBe(200);
  expect([(await there.call(listApps)).status, (await person.own.call(listApps)).status]).toEqual([403, 200]);
  expect((await person.own.call(getMe)).body.data.accounts).toHaveLength(1);
  // Keys are the account's: they go on, and the list names their author.
  expect((await clientOf({ secretKey: key.secretKey }).call(listApps)).status).toBe(200);
  const [listed] = (await account.dashboard.call(listKeys)).body.data;
  expect([listed?.id, listed?.createdBy]).toEqual([key.id, person.email]);
  await join(account, person, 'developer');
  expect((await there.call(leaveAccount)).status).toBe(200);
  expect((await there.call(listApps)).status).toBe(403);
});

test('an account keeps an owner, also when several leave concurrently', async () => {
  const account = await newAccount();
  const person = await signUp();
  const own = (await account.dashboard.call(getMe)).body.data.login.id;
  const demote = { params: { id: own }, body: { role: 'developer' as const } };
  expect(codeOf(await account.dashboard.call(updateMember, demote))).toBe('conflict');
  expect(codeOf(await account.dashboard.call(removeMember, { params: { id: own } }))).toBe('conflict');
  expect(codeOf(await account.dashboard.call(leaveAccount))).toBe('conflict');
  await join(account, person, 'owner');
  const left = await Promise.all(
    [account.dashboard, person.inAccount(account.id)].map((each) => each.call(leaveAccount)),
  );
  expect(left.map(({ status }) => status).sort()).toEqual([200, 409]);
});

test('an owner who leaves the own account gets a new one, or goes on in another', async () => {
  const account = await newAccount();
  const person = await signUp();
  await join(account, person, 'owner');
  expect((await account.dashboard.call(leaveAccount)).status).toBe(200);
  const fresh = (await account.dashboard.call(getMe)).body.data;
  expect(fresh.account.id).not.toBe(account.id);
  expect(fresh).toMatchObject({ roles: ['owner'], accounts: [{ role: 'owner' }] });
  const own = (await person.own.call(getMe)).body.data.account.id;
  const other = await signUp();
  const { data } = (await person.own.call(inviteMember, { body: { email: other.email, role: 'owner' } })).body;
  await other.own.call(acceptInvitation, { body: { token: tokenIn(data.link) } });
  expect((await person.own.call(leaveAccount)).status).toBe(200);
  expect((await person.own.call(getMe)).body.data.accounts).toEqual([{ id: account.id, name: 'Test', role: 'owner' }]);
  expect((await other.inAccount(own).call(getMe)).body.data.roles).toEqual(['owner']);
});

test('a request that names no account is not answered with the response of an account that the login left', async () => {
  const account = await newAccount();
  const person = await signUp();
  await join(account, person, 'owner');
  const client = clientOf({ accessToken: () => account.accessToken, headers: { 'idempotency-key': randomUUID() } });
  const create = () => client.call(createKey, { body: { name: 'once', scopes: ['read'] } });
  expect((await create()).status).toBe(201);
  expect((await account.dashboard.call(leaveAccount)).status).toBe(200);
  expect(codeOf(await create())).toBe('conflict');
});

test('leaving the own account a second time leaves no other account, unless that is named', async () => {
  const company = await newAccount();
  const person = await signUp();
  const opened = (await person.own.call(getMe)).body.data.account.id;
  await join(company, person, 'developer');
  const partner = await signUp();
  const { data } = (await person.own.call(inviteMember, { body: { email: partner.email, role: 'owner' } })).body;
  await partner.own.call(acceptInvitation, { body: { token: tokenIn(data.link) } });
  expect((await person.own.call(leaveAccount)).status).toBe(200);
  expect(codeOf(await person.own.call(leaveAccount))).toBe('conflict');
  expect((await person.own.call(getMe)).body.data.account.id).toBe(company.id);
  expect((await person.inAccount(opened).call(leaveAccount)).status).toBe(403);
  expect((await person.inAccount(company.id).call(leaveAccount)).status).toBe(200);
  expect((await person.own.call(getMe)).body.data.accounts).toHaveLength(1);
});

test('the address of the account passes to the owner of longest standing when its holder is no owner any more', async () => {
  const founder = await signUp();
  const id = (await founder.own.call(getMe)).body.data.account.id;
  const account = { dashboard: founder.own };
  const [developer, second, third] = [await signUp(), await signUp(), await signUp()];
  await join(account, developer, 'developer');
  await join(account, second, 'owner');
  await join(account, third, 'owner');
  const address = async () => (await third.inAccount(id).call(getMe)).body.data.account.email;
  const there = third.inAccount(id);
  await there.call(removeMember, { params: { id: await idOf(developer) } });
  expect(await address()).toBe(founder.email);
  expect((await there.call(removeMember, { params: { id: await idOf(founder) } })).status).toBe(200);
  expect(await address()).toBe(second.email);
  const demoted = { params: { id: await idOf(second) }, body: { role: 'billing' as const } };
  expect((await there.call(updateMember, demoted)).status).toBe(200);
  expect(await address()).toBe(third.email);
  const refused = await there.call(requestDeletion, { body: { confirm: founder.email } });
  expect(codeOf(refused)).toBe('invalid_request');
  expect((await there.call(requestDeletion, { body: { confirm: third.email } })).status).toBe(202);
});

/** Every operation that a login may call; what ends the login or its membership last. */
const called = ([...routes, ...dashboardRoutes, ...streamedRoutes] as readonly Route[])
  .filter(({ path, right }) => right !== undefined && toDashboardPath(path))
  .sort((one, other) => Number(isLast(one)) - Number(isLast(other)));
function isLast({ id }: Route): boolean {
  return id === leaveAccount.id || id === deleteSession.id;
}
const inputOf = (route: Route) =>
  ({ params: { id: 'none', recordId: 'none' }, ...(route.body ? { body: {} } : {}) }) as never;

test.each(MEMBER_ROLES)(
  'a login with the role %s may call what the contract allows it, and nothing else',
  async (role) => {
    const account = await newAccount();
    const person = await signUp();
    await join(account, person, role);
    const there = person.inAccount(account.id);
    const answers: [string, boolean][] = [];
    for (const route of called.filter((each) => each.id !== deleteSession.id)) {
      const { status, error } = await there.call(route, inputOf(route));
      const isRefused = status === 403 && error?.message === roleMessage(role, route.right ?? 'member');
      if (!isRefused) expect([route.id, status]).not.toEqual([route.id, 403]);
      answers.push([route.id, !isRefused]);
    }
    expect(answers.length).toBeGreaterThan(90);
    expect(answers).toEqual(
      answers.map(([id]) => [id, hasRight(role, called.find((each) => each.id === id)?.right ?? 'member')]),
    );
    expect((await person.own.call(deleteSession)).status).toBe(200);
  },
  120_000,
);
