import { describe, expect, test } from 'vitest';
import { ApiError } from '../../contract/errors.ts';
import { Account, ApiKey, Credential, Login } from '../../table/entities/accounts.ts';
import { create } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { type Interruption, interruptEach, simulation } from '../../test/simulation/simulation.ts';
import type { Caller, Deps } from '../deps.ts';
import { cancelDeletion, requestDeletion } from '../processes/account-data/deletion.ts';
import { accountQueue, applySuspension, setSuspension } from '../processes/suspension.ts';
import { createKey, revokeKey } from './api-keys.ts';
import { acceptInvitation, inviteMember } from './invitations.ts';
import { leaveAccount, removeMember, updateMember } from './members.ts';
import { membershipsOf } from './membership.ts';
import { readTeam } from './team.ts';

/**
 * Each change of an account's members and keys beside each suspension and deletion, interrupted by it before every call to the table, and the
 * other way round. Afterwards, every login and key of an account must be refused exactly as the account demands.
 */

const [OWN, OTHER, GUESTS] = ['acc_1', 'acc_2', 'acc_3'];
const KEY = { name: 'key', scopes: [], allowedOrigins: [], expiresAt: null, aiBudget: null };
const emailOf = (subject: string) => `${subject}@example.com`;
const tokenIn = ({ data }: { data: { link: string } }) => new URL(data.link).hash.slice(1);

/** Two accounts with an owner each. A guest with an account of their own has joined the first one, and is invited to the second one. */
async function world() {
  const { memory, clock, steady, startProcess } = simulation();
  const { deps } = steady;
  const callerIn = (accountId: string, subject: string): Caller => {
    const readProfile = async () => ({ email: emailOf(subject), name: subject, isVerified: true });
    const session = { subject, key: 'k', expiresAtEpoch: 0, signedInAtEpoch: clock.now / 1000, readProfile };
    return { accountId, keyId: '', login: true, isNamed: true, session };
  };
  const [owner, other, guest] = [callerIn(OWN, 'owner'), callerIn(OTHER, 'other'), callerIn(GUESTS, 'guest')];
  await deps.table.transact(
    [owner, other, guest].flatMap(({ accountId: id, session: { subject } = expect.unreachable() }) => [
      newSimulatedAccount(id, { logins: [subject], email: emailOf(subject), keyCount: 0 }),
      create(Login, { subject, accountId: id, listed: true }),
    ]),
  );
  const invite = (by: Caller) => inviteMember(deps, by, { email: emailOf('guest'), role: 'developer' });
  await acceptInvitation(deps, guest, { token: tokenIn(await invite(owner)) });
  const token = tokenIn(await invite(other));
  const { id } = (await createKey(deps, owner, KEY)).data;
  return { deps, memory, clock, startProcess, owner, guest, guestInside: callerIn(OWN, 'guest'), token, id };
}
type World = Awaited<ReturnType<typeof world>>;
type Operation = (world: World, deps: Deps) => Promise<unknown>;

const createNewKey: Operation = ({ owner }, deps) => createKey(deps, owner, KEY);

const CHANGES: Readonly<Record<string, Operation>> = {
  'the guest is removed': ({ owner }, deps) => removeMember(deps, owner, { id: 'guest' }),
  'the guest gets another role': ({ owner }, deps) => updateMember(deps, owner, { id: 'guest', role: 'billing' }),
  'the guest leaves': ({ guestInside }, deps) => leaveAccount(deps, guestInside),
  'the guest joins another account': ({ guest, token }, deps) => acceptInvitation(deps, guest, { token }),
  'a key is created': createNewKey,
  'the key is revoked': ({ owner, id }, deps) => revokeKey(deps, owner, { id }),
};

/** Changes an account and applies the change, as the stream does. */
const applied =
  (accountId: string, change: Operation): Operation =>
  async (here, deps) => {
    await change(here, deps);
    await applySuspension(deps, accountId);
  };
const suspend = applied(OWN, (_, deps) => setSuspension(deps, { accountId: OWN, reason: 'Abuse' }));
const resume = applied(OWN, (_, deps) => setSuspension(deps, { accountId: OWN, reason: null }));
const close = applied(OWN, ({ owner }, deps) => requestDeletion(deps, owner, { confirm: emailOf('owner') }));
const reopen = applied(OWN, ({ owner }, deps) => cancelDeletion(deps, owner));
const suspendGuests = applied(GUESTS, (_, deps) => setSuspension(deps, { accountId: GUESTS, reason: 'Fraud' }));
const nothing: Operation = async () => undefined;

/** States of the accounts before, and what then happens beside a change. */
const STATES: [state: string, earlier: Operation, beside: Operation[]][] = [
  ['is open', nothing, [suspend, close]],
  ['is suspended', suspend, [nothing, resume]],
  ['waits for its deletion', close, [nothing, reopen]],
  ['has a member whose own account is suspended', suspendGuests, [nothing]],
];

/** Applies suspensions and deletions once more, as the sweep does a minute later. */
async function settle({ deps, memory, clock }: World): Promise<void> {
  clock.now += 61_000;
  const due = { pk: '', sk: '', duePk: '', dueAt: '' };
  for (const item of memory.items('ACCOUNT')) await accountQueue.act(deps, Account.parse(item), due);
}

async function expectMarked({ deps, memory }: World, what: string): Promise<void> {
  const accounts = memory.items('ACCOUNT').map((item) => Account.parse(item));
  const marksIn = (accountId: string) => {
    const { suspension, deletion } = accounts.find(({ id }) => id === accountId) ?? expect.fail(accountId);
    return { suspended: suspension?.reason, closesAt: deletion?.endsAt };
  };
  const logins = memory.items('LOGIN').map((item) => Login.parse(item));
  const memberships = logins.flatMap((login) => membershipsOf(login).map((each) => ({ of: login.subject, ...each })));
  const marksOf = ({ suspended, closesAt }: { suspended?: string | undefined; closesAt?: string | undefined }) => ({
    suspended,
    closesAt,
  });
  expect(memberships.map(marksOf), what).toEqual(memberships.map(({ accountId }) => marksIn(accountId)));
  for (const { id, logins } of accounts) {
    const { members } = await readTeam(deps, id);
    const inside = memberships.filter(({ accountId }) => accountId === id);
    const roles = inside.map(({ of, role }) => [of, role]).sort();
    expect(roles, what).toEqual(members.map(({ subject, role }) => [subject, role]).sort());
    expect(logins?.toSorted(), what).toEqual(inside.map(({ of }) => of).sort());
  }
  for (const { hashes, accountId, revokedAt } of memory.items('KEY').map((item) => ApiKey.parse(item)))
    for (const hash of [hashes.secret, hashes.public]) {
      const half = (await deps.table.get(Credential, { hash })) ?? expect.fail(what);
      expect(half.revokedAt, what).toBe(revokedAt);
      if (revokedAt === null) expect(marksOf(half), what).toEqual(marksIn(accountId));
    }
}

/** Performs a change that another one may have made impossible. */
const attempt =
  (change: Operation): Operation =>
  (here, deps) =>
    change(here, deps).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
    });

describe.each(STATES)('beside an account that %s', (_, earlier, beside) => {
  /** Performs an operation once for each of its calls to the table, during which the other one happens before that call. */
  async function interleave(operation: Operation, other: Operation, what: string): Promise<void> {
    const trial = async (interruption: Interruption) => {
      const here = await world();
      await earlier(here, here.deps);
      await settle(here);
      const faults = interruption.by(() => other(here, here.deps));
      await operation(here, here.startProcess({ faults }).deps);
      if (!interruption.isReached) return;
      await settle(here);
      await expectMarked(here, `${what} before request ${interruption.step}`);
    };
    await interruptEach(trial, other === nothing ? { maxSteps: 1 } : {});
  }

  // The login that would create a key is refused where the account has been suspended or is closing.
  const possible = Object.entries(CHANGES).filter(([, change]) => change !== createNewKey || earlier === nothing);
  test.each(possible)('%s: every login and key is refused as its account is', async (_name, change) => {
    for (const [index, other] of beside.entries()) {
      await interleave(attempt(change), other, `interrupted by ${index}`);
      if (other !== nothing) await interleave(other, attempt(change), `interrupting ${index}`);
    }
  });
});
