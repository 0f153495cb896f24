import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startUserPool } from '../../../local/emulators/login/user-pool.ts';
import { openUsers, type Users as StoredUsers } from '../../../local/emulators/login/users.ts';
import type { Emulator } from '../../../local/emulators/wire.ts';
import { createUsers, type PoolUser, type Users } from '../../../providers/login/users.ts';
import { fromItem } from '../../../table/attributes.ts';
import { Account, Login } from '../../../table/entities/accounts.ts';
import { AuditEntry, auditOf } from '../../../table/entities/audit.ts';
import { Team } from '../../../table/entities/members.ts';
import { NotificationReader } from '../../../table/entities/notifications.ts';
import { change, create } from '../../../table/writes.ts';
import { crashAtStep, SimulatedCrash, simulation } from '../../../test/simulation/simulation.ts';
import { ENTITIES } from '../../../test/support/entities.ts';
import { type Schema, walkable } from '../../../test/support/schemas.ts';
import { openLogin } from '../../accounts/logins.ts';
import { LOGIN_REFERENCES, restoreLogins } from './logins.ts';

const folder = mkdtempSync(join(tmpdir(), 'restored-logins-'));
let pool: Emulator;
let stored: StoredUsers;
beforeAll(async () => {
  stored = openUsers(join(folder, 'users.json'));
  pool = await startUserPool(undefined, stored);
});
afterAll(async () => {
  await pool.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The provider as it is shipped, at the emulator. */
const users = createUsers(async (operation, input) => {
  const headers = {
    'x-amz-target': `AWSCognitoIdentityProviderService.${operation}`,
    'content-type': 'application/x-amz-json-1.1',
  };
  const answer = await fetch(pool.url, { method: 'POST', headers, body: JSON.stringify(input) });
  const body = (await answer.json()) as { __type?: string; message?: string };
  if (answer.ok) return body;
  throw Object.assign(new Error(body.message), { name: body.__type });
}, 'af-south-1_pool');

const PASSWORD = 'correct horse battery';

/** Users in memory, without the time that hashing takes. */
function memoryUsers() {
  const subjects = new Map<string, PoolUser>();
  const ensure: Users['ensure'] = async ({ email }) => {
    const user = subjects.get(email) ?? { subject: randomUUID(), createdAt: new Date() };
    subjects.set(email, user);
    return user;
  };
  const exists = async (subject: string) => [...subjects.values()].some((user) => user.subject === subject);
  return {
    users: { ensure, exists },
    add: async ({ email }: { email: string; name: string }) => await ensure({ email }),
    lose: (email: string) => subjects.delete(email),
    subjectOf: (email: string) => subjects.get(email)?.subject ?? '',
  };
}

/** The users of the emulator. */
const emulatedUsers = (): ReturnType<typeof memoryUsers> => ({
  users,
  add: async (person) => await users.ensure(person),
  lose: (email) => stored.remove(stored.byEmail(email)?.subject ?? ''),
  subjectOf: (email) => stored.byEmail(email)?.subject ?? '',
});

/** Returns a platform on which two people signed up, one of them a member of the other's account. */
async function world(pool = memoryUsers()) {
  // The users have no simulated time: they are older than what happens next, and younger than what was before.
  const base = simulation({ startAt: Date.now() - 60_000 });
  const { deps } = base.steady;
  const signUp = async (name: string) => {
    const email = `${name}-${randomUUID()}@example.com`;
    const { subject } = await pool.add({ email, name });
    await openLogin(deps, subject, { email, name });
    return { email, name, subject, accountId: (await deps.table.get(Login, { subject }))?.accountId ?? '' };
  };
  const [owner, guest] = [await signUp('Owner'), await signUp('Guest')];
  const { accountId } = owner;
  const joinedAt = base.steady.deps.now().toISOString();
  const members = [
    { subject: owner.subject, email: owner.email, name: 'Owner', role: 'owner' as const, joinedAt },
    { subject: guest.subject, email: guest.email, name: 'Guest', role: 'billing' as const, joinedAt },
  ];
  const memberships = { [accountId]: { role: 'billing', accountName: 'Owner' } };
  await deps.table.transact([
    create(Team, { accountId, version: 1, members, invitations: [] }),
    create(NotificationReader, { accountId, subject: guest.subject, readUntil: joinedAt }),
    change(Login, { subject: guest.subject }, { set: { memberships, accountName: 'Guest', membershipsVersion: 1 } }),
    change(Account, { id: accountId }, { append: { logins: [guest.subject] } }),
  ]);
  return { ...base, ...pool, deps: { ...deps, users: pool.users }, owner, guest, accountId };
}
type World = Awaited<ReturnType<typeof world>>;

/** Expects that both people have users, and that everything but history names these. */
async function expectRestored({ deps, owner, guest, accountId, subjectOf }: World): Promise<void> {
  const [first, second] = [subjectOf(owner.email), subjectOf(guest.email)];
  const login = await deps.table.get(Login, { subject: second });
  expect(login).toMatchObject({
    accountId: guest.accountId,
    email: guest.email,
    memberships: { [accountId]: { role: 'billing' } },
  });
  expect(await deps.table.get(Login, { subject: first })).toMatchObject({ accountId, email: owner.email });
  expect((await deps.table.get(Account, { id: accountId }))?.logins).toEqual([first, second]);
  const team = await deps.table.get(Team, { accountId });
  expect(team?.members.map(({ subject, role }) => [subject, role])).toEqual([
    [first, 'owner'],
    [second, 'billing'],
  ]);
  expect(await deps.table.get(NotificationReader, { accountId, subject: second })).toHaveProperty('readUntil');
  const { items } = await deps.table.scan({ limit: 1000 });
  const isStale = (item: object) => [owner, guest].some(({ subject }) => JSON.stringify(item).includes(subject));
  const naming = items.map(fromItem).filter(isStale);
  expect([...new Set(naming.map(({ entity }) => entity))]).toEqual(['AUDIT']);
}

test('after the loss of the user pool, every login gets a user with the same accounts and roles', async () => {
  const platform = await world(emulatedUsers());
  const { deps, owner, guest, accountId, subjectOf, lose } = platform;
  await stored.setPassword({ email: owner.email, password: PASSWORD });
  expect(await restoreLogins(deps, {})).toEqual({ logins: 2, restored: 0, problems: [] });
  for (const { email } of [owner, guest]) lose(email);
  expect(await restoreLogins(deps, {})).toEqual({ logins: 2, restored: 2, problems: [] });
  await expectRestored(platform);
  expect(await restoreLogins(deps, {})).toEqual({ logins: 2, restored: 0, problems: [] });
  const [entry] = await deps.table.all(AuditEntry, auditOf(accountId));
  expect(entry).toMatchObject({ before: { login: owner.subject }, after: { login: subjectOf(owner.email) } });
  // The new password is not kept; the person replaces it as a forgotten one, which needs this state.
  expect(await stored.signIn(owner.email, PASSWORD)).toBeUndefined();
  expect(stored.byEmail(owner.email)?.temporary).toBe(false);
});

test('the next run completes a run that crashed at any call', async () => {
  let deaths = 0;
  for (let hasDied = true; hasDied; ) {
    const platform = await world();
    for (const { email } of [platform.owner, platform.guest]) platform.lose(email);
    const { deps, port } = platform.startProcess({ faults: crashAtStep(deaths + 1, 'after') });
    hasDied = await restoreLogins({ ...deps, users: port('users', platform.users) }, {}).then(
      () => false,
      (error: unknown) => error instanceof SimulatedCrash,
    );
    if (hasDied) deaths += 1;
    expect((await restoreLogins(platform.deps, {})).problems).toEqual([]);
    await expectRestored(platform);
  }
  expect(deaths).toBeGreaterThan(20);
});

test('a person who signed up again in the meantime has both accounts, the earlier one first', async () => {
  const platform = await world();
  const { deps, owner, guest, clock, add, lose, subjectOf } = platform;
  for (const { email } of [owner, guest]) lose(email);
  await add(owner);
  clock.now = Date.now() + 60_000;
  const subject = subjectOf(owner.email);
  await openLogin(deps, subject, owner);
  const opened = (await deps.table.get(Login, { subject }))?.accountId ?? '';
  expect(await restoreLogins(deps, {})).toMatchObject({ restored: 2, problems: [] });
  const memberships = { [opened]: { role: 'owner' } };
  expect(await deps.table.get(Login, { subject })).toMatchObject({ accountId: owner.accountId, memberships });
  expect((await deps.table.get(Account, { id: opened }))?.logins).toEqual([subject]);
  await expectRestored(platform);
});

test('reports the login of another person with the same address, and does not change it', async () => {
  const { deps, owner, guest, lose } = await world();
  await deps.table.transact([change(Login, { subject: guest.subject }, { set: { email: owner.email } })]);
  for (const { email } of [owner, guest]) lose(email);
  const report = await restoreLogins(deps, {});
  expect(report).toMatchObject({ logins: 2, restored: 1 });
  expect(report.problems).toEqual([
    { login: expect.stringMatching(/^[\da-f-]{36}$/), problem: expect.stringContaining('has the same email address') },
  ]);
});

test('creates no user for a deleted login, and does not change a user without a login', async () => {
  const { deps, guest, add, lose, subjectOf } = await world();
  await deps.table.transact([change(Login, { subject: guest.subject }, { set: { expiresAtEpoch: 4_000_000_000 } })]);
  lose(guest.email);
  const newcomer = { email: 'newcomer@example.com', name: 'New' };
  const { subject } = await add(newcomer);
  expect(await restoreLogins(deps, {})).toEqual({ logins: 1, restored: 0, problems: [] });
  expect([subjectOf(guest.email), subjectOf(newcomer.email)]).toEqual(['', subject]);
});

test('a sign-up that was never confirmed does not get the account of its address', async () => {
  const calls: string[] = [];
  let user = { id: 'squatter', isVerified: 'false', status: 'UNCONFIRMED' };
  const unconfirmed = createUsers(async (operation, input) => {
    calls.push(`${operation} ${Reflect.get(input, 'Username')}`);
    if (operation === 'AdminCreateUser') user = { id: 'owner', isVerified: 'true', status: 'FORCE_CHANGE_PASSWORD' };
    if (operation !== 'AdminGetUser') {
      if (operation === 'AdminDeleteUser') user = { ...user, id: '' };
      return {};
    }
    if (user.id === '') throw Object.assign(new Error(), { name: 'UserNotFoundException' });
    const attributes = { sub: user.id, email_verified: user.isVerified };
    const UserAttributes = Object.entries(attributes).map(([Name, Value]) => ({ Name, Value }));
    return { UserStatus: user.status, UserCreateDate: 1477662772.246, UserAttributes };
  }, 'pool');
  expect(await unconfirmed.ensure({ email: 'a@example.com' })).toMatchObject({ subject: 'owner' });
  expect(calls).toEqual([
    'AdminGetUser a@example.com',
    'AdminDeleteUser squatter',
    'AdminGetUser a@example.com',
    'AdminCreateUser a@example.com',
    'AdminGetUser a@example.com',
    'AdminSetUserPassword owner',
  ]);
});

/** Names of fields that may hold the `sub` of a login. */
const MAY_NAME_A_LOGIN = /^(subject|logins?|actor|user|person|member|owner|createdBy|\w+(edBy|Login|User|Subject))$/i;
/** Fields of these names that hold something else. */
const NO_LOGINS = [
  'TEAM.invitations.invitedBy',
  'SWITCH_STATE.flags.owner',
  'DEPLOYMENT.builtBy',
  'DEPLOYMENT.movedBy',
  'DOMAIN.owner',
  'HOSTING_SERVER.user',
  'AUDIT.actor.kind',
  'AUDIT.actor.name',
  'KEY.createdBy.email',
  'PENDING_JOB.subject',
];

/** Returns the paths of the text fields below a schema, as far as its names, or that of an object around it, may name a login. */
function candidates(schema: Schema, path: string, isBelow = false): string[] {
  const { shape, element, valueType, innerType, out, options } = schema.def;
  const inside = innerType ?? out ?? element ?? valueType;
  if (inside) return candidates(inside, path, isBelow);
  if (options) return [...new Set(options.flatMap((option) => candidates(option, path, isBelow)))];
  if (shape)
    return Object.entries(shape).flatMap(([name, field]) =>
      candidates(field, `${path}.${name}`, isBelow || MAY_NAME_A_LOGIN.test(name)),
    );
  return isBelow ? [path] : [];
}

test('every field that may refer to a login is rewritten or has a reason not to be', () => {
  const found = [...ENTITIES].flatMap(([type, entity]) => candidates(walkable(entity.schema() as never), type));
  const isOther = (path: string) => NO_LOGINS.some((other) => path === other || path.startsWith(`${other}.`));
  expect(found.filter((path) => !isOther(path)).toSorted()).toEqual(Object.keys(LOGIN_REFERENCES).toSorted());
});
