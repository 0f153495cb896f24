import type { PoolUser, Users } from '../../../providers/login/users.ts';
import { Account, Login } from '../../../table/entities/accounts.ts';
import { Team } from '../../../table/entities/members.ts';
import { NotificationReader } from '../../../table/entities/notifications.ts';
import { unchanged } from '../../../table/expressions.ts';
import type { ItemKey } from '../../../table/table.ts';
import { change, create, remove, type Write } from '../../../table/writes.ts';
import { type Membership, membershipsOf, setMemberships } from '../../accounts/membership.ts';
import { concurrentUpdate, retryOnConflict } from '../../conflict.ts';
import type { Deps } from '../../deps.ts';
import { collectProblems, type Problems, type RestoreInput, Unrestorable, visitItems } from './visit.ts';

/**
 * Recreates the users of logins that the issuer does not know, after the loss of the user pool or after a restore of the table to a time
 * before the users were deleted. A recreated user has a new `sub`, so all references to the old one are rewritten, in one transaction per
 * account and a last one for the login (docs/decisions/0072-users-and-code-after-a-restore.md).
 */

/**
 * Every field that refers to a login by its `sub`, as `<entity>.<path>`, and whether a restore rewrites it. A test fails if a field that
 * may refer to a login is missing here (logins.test.ts).
 */
export const LOGIN_REFERENCES: Readonly<Record<string, 'rewritten' | 'stays: says who it was at that time'>> = {
  'LOGIN.subject': 'rewritten',
  'ACCOUNT.logins': 'rewritten',
  'TEAM.members.subject': 'rewritten',
  'NOTIFICATION_READER.subject': 'rewritten',
  'KEY.createdBy.subject': 'stays: says who it was at that time',
  'AUDIT.actor.id': 'stays: says who it was at that time',
};

/** A login whose user cannot be restored, and the reason. */
interface LoginProblem {
  login: string;
  problem: string;
}

export interface LoginsReport extends Problems<LoginProblem> {
  /** Number of logins that were compared with the users. */
  logins: number;
  /** Number of logins that received a new user. */
  restored: number;
  cursor?: ItemKey;
}

type RestoreDeps = Pick<Deps, 'table' | 'now' | 'commit'> & { users: Pick<Users, 'exists' | 'ensure'> };

/** Creates a user with the login's email address for every login without a user. Idempotent, also after a crash. */
export async function restoreLogins(deps: RestoreDeps, input: RestoreInput): Promise<LoginsReport> {
  let [logins, restored] = [0, 0];
  const problems = collectProblems<LoginProblem>();
  const position = await visitItems(deps, input, async (item) => {
    // A login with an expiry was deleted, because its owner left the platform.
    if (item.entity !== Login.type || item.expiresAtEpoch !== undefined) return;
    logins += 1;
    const login = Login.parse(item);
    if (await deps.users.exists(login.subject)) return;
    try {
      await restoreLogin(deps, login);
      restored += 1;
    } catch (error) {
      if (!(error instanceof Unrestorable)) throw error;
      problems.add({ login: login.subject, problem: error.message });
    }
  });
  return { logins, restored, ...problems.report(), ...position };
}

/**
 * Moves a login to a new user. First each account refers to the new `sub`, in one transaction per account. The login itself is moved last,
 * so that after a crash the next run still finds a login without a user.
 */
async function restoreLogin(deps: RestoreDeps, login: Login): Promise<void> {
  const account = await deps.table.get(Account, { id: login.accountId });
  if (!account) throw new Unrestorable(`its account ${login.accountId} does not exist`);
  // Older logins have no email address. They belong to the person who opened the account.
  const user = await deps.users.ensure({ email: login.email ?? account.email, name: login.name ?? account.name });
  const [from, to] = [login.subject, user.subject];
  await retryOnConflict(async () => {
    const current = await deps.table.get(Login, { subject: from });
    if (!current) return;
    const moved = await moveLogin(deps, current, user);
    for (const { accountId } of membershipsOf(current))
      await deps.table.transact(await rewriteReferences(deps, accountId, from, to));
    await deps.commit(moved, undefined, {
      action: 'login.restored',
      accountId: current.accountId,
      subjectId: to,
      before: { login: from },
      after: { login: to },
    });
  });
}

/** Returns the writes that move the login to its new `sub`. A person who signed up again in the meantime is a member of both accounts. */
async function moveLogin(deps: RestoreDeps, login: Login, { subject, createdAt }: PoolUser): Promise<Write[]> {
  const { membershipsVersion: version } = login;
  const when = { membershipsVersion: unchanged(version) };
  const removed = remove(Login, { subject: login.subject }, when, concurrentUpdate);
  const newer = await deps.table.get(Login, { subject });
  if (!newer) return [removed, create(Login, { ...withoutSessions(login), subject }, concurrentUpdate)];
  const opened = await deps.table.get(Account, { id: newer.accountId });
  // An account that is older than the user belongs to another login with the same address. Cognito's times may be whole seconds.
  if (!opened || opened.createdAt < createdAt.toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length))
    throw new Unrestorable(`the login ${subject} has the same email address`);
  const all = [...membershipsOf(login), ...membershipsOf(newer)];
  const unique = all.filter(({ accountId }, at) => all.findIndex((other) => other.accountId === accountId) === at);
  return [removed, ...setMemberships(newer, await Promise.all(unique.map((membership) => withName(deps, membership))))];
}

/** Returns a login without its counters and sessions, which belong to the earlier user. */
function withoutSessions(login: Login): Login {
  const names = new Set(Login.fields().filter((name) => !name.startsWith('endedSessions')));
  return Login.parse(Object.fromEntries(Object.entries(login).filter(([name]) => names.has(name))));
}

/** Returns a membership with its account's name. */
async function withName({ table }: Pick<Deps, 'table'>, membership: Membership): Promise<Membership> {
  const { accountName = (await table.get(Account, { id: membership.accountId }))?.name } = membership;
  return { ...membership, accountName };
}

/** Returns the writes that make an account refer to the login by its new `sub`; none if it already does. */
async function rewriteReferences(
  { table }: Pick<Deps, 'table'>,
  accountId: string,
  from: string,
  to: string,
): Promise<Write[]> {
  const [account, team, reader, newer] = await Promise.all([
    table.get(Account, { id: accountId }),
    table.get(Team, { accountId }),
    table.get(NotificationReader, { accountId, subject: from }),
    table.get(NotificationReader, { accountId, subject: to }),
  ]);
  const writes: Write[] = [];
  if (account?.logins?.includes(from)) {
    const logins = [...new Set(account.logins.map((subject) => (subject === from ? to : subject)))];
    writes.push(change(Account, { id: accountId }, { set: { logins } }));
  }
  const member = team?.members.find(({ subject }) => subject === from);
  if (team && member) {
    const members = team.members
      .filter(({ subject }) => subject !== to)
      .map((other) => (other === member ? { ...other, subject: to } : other));
    const set = { members, version: team.version + 1 };
    writes.push(change(Team, { accountId }, { set, when: { version: { is: team.version } } }, concurrentUpdate));
  }
  if (reader) writes.push(remove(NotificationReader, { accountId, subject: from }));
  if (reader && !newer) writes.push(create(NotificationReader, { ...reader, subject: to }, concurrentUpdate));
  return writes;
}
