import { expect, test } from 'vitest';
import { Account, Login } from '../../table/entities/accounts.ts';
import { change, create } from '../../table/writes.ts';
import { newSimulatedAccount } from '../../test/simulation/account.ts';
import { interruptAt, simulation } from '../../test/simulation/simulation.ts';
import type { Caller, Deps } from '../deps.ts';
import { createKey, revokeKey } from './api-keys.ts';
import { acceptInvitation, inviteMember } from './invitations.ts';
import { leaveAccount, removeMember, updateMember } from './members.ts';
import { membershipsOf } from './membership.ts';
import { readTeam } from './team.ts';

/** Concurrent requests about one account's keys and members: each is interrupted by the other before every call to the table. */

const OWNER: Caller = { accountId: 'acc_1', keyId: '', login: true, isNamed: true, session: sessionOf('owner') };
const KEY = { name: 'key', scopes: [], allowedOrigins: [], expiresAt: null, aiBudget: null };

function sessionOf(subject: string) {
  const email = `${subject}@example.com`;
  return {
    subject,
    key: 'k',
    expiresAtEpoch: 0,
    readProfile: async () => ({ email, name: subject, isVerified: true }),
  };
}

/** Two accounts with an owner each, who invited a third person. */
async function world() {
  const made = simulation();
  const { deps } = made.steady;
  const owners = ['owner', 'other'].map((subject, at) => ({ subject, accountId: `acc_${at + 1}` }));
  await deps.table.transact([
    ...owners.map(({ subject, accountId: id }) =>
      newSimulatedAccount(id, { logins: [subject], email: `${subject}@example.com` }),
    ),
    newSimulatedAccount('acc_3', { logins: ['guest'], email: 'guest@example.com' }),
    ...owners.map((owner) => create(Login, owner)),
    create(Login, { subject: 'guest', accountId: 'acc_3' }),
  ]);
  const invitations = owners.map(async ({ subject, accountId }) => {
    const caller = { ...OWNER, accountId, session: sessionOf(subject) };
    const { data } = await inviteMember(deps, caller, { email: 'guest@example.com', role: 'developer' });
    return new URL(data.link ?? '').hash.slice(1);
  });
  const tokens = await Promise.all(invitations);
  const guest: Caller = { accountId: 'acc_3', keyId: '', login: true, session: sessionOf('guest') };
  const accept = (at: number) => (deps: Deps) => acceptInvitation(deps, guest, { token: tokens[at] ?? '' });
  return { ...made, deps, guest, accept };
}
type World = Awaited<ReturnType<typeof world>>;

/** Performs an operation once for each of its calls to the table, interrupted before that call. */
async function interruptEverywhere(
  prepare: () => Promise<World>,
  operation: (deps: Deps, made: World) => Promise<unknown>,
  interruption: (made: World) => Promise<unknown>,
  look: (made: World, answer: unknown) => Promise<void>,
): Promise<void> {
  for (let step = 1, interrupted = true; interrupted; step += 1) {
    interrupted = false;
    const made = await prepare();
    const interrupt = async () => {
      interrupted = true;
      await interruption(made);
    };
    const { deps } = made.startProcess({ faults: interruptAt(step, interrupt) });
    const answer = await operation(deps, made).catch((error: unknown) => error);
    if (interrupted) await look(made, answer);
  }
}

const accountOf = async ({ deps }: World, id = 'acc_1') =>
  (await deps.table.get(Account, { id })) ?? expect.unreachable();
const accountsOf = async ({ deps }: World) => {
  const login = (await deps.table.get(Login, { subject: 'guest' })) ?? expect.unreachable();
  return membershipsOf(login).map(({ accountId }) => accountId);
};
const membersOf = async ({ deps }: World) => (await readTeam(deps, 'acc_1')).members.map(({ subject }) => subject);

test('keys from before the count existed are counted once, together with concurrent creations and revocations', async () => {
  const prepare = async () => {
    const made = await world();
    await createKey(made.deps, OWNER, KEY);
    await createKey(made.deps, OWNER, KEY);
    await made.deps.table.transact([change(Account, { id: 'acc_1' }, { remove: ['keyCount'] })]);
    return made;
  };
  const live = ({ memory }: World) => memory.items('KEY').filter(({ revokedAt }) => revokedAt === null);
  const create = (deps: Deps) => createKey(deps, OWNER, KEY);
  const revoke = (made: World) => revokeKey(made.deps, OWNER, { id: String(live(made)[0]?.id) });
  for (const interruption of [revoke, ({ deps }: World) => create(deps)])
    await interruptEverywhere(prepare, create, interruption, async (made) => {
      expect(await accountOf(made)).toMatchObject({ keyCount: live(made).length });
    });
});

test('two invitations that are accepted concurrently are both accepted', async () => {
  await interruptEverywhere(
    world,
    (deps, { accept }) => accept(0)(deps),
    ({ accept, deps }) => accept(1)(deps),
    async (made) => expect((await accountsOf(made)).toSorted()).toEqual(['acc_1', 'acc_2', 'acc_3']),
  );
});

test.each<[string, Record<string, unknown>]>([
  ['suspended', { suspension: { reason: 'Abuse', since: '2026-01-01T00:00:00.000Z' } }],
  ['closing', { deletion: { endsAt: '2026-01-08T00:00:00.000Z', requestedAt: '2026-01-01T00:00:00.000Z' } }],
])('an account that is %s by the time takes no new member', async (_, set) => {
  await interruptEverywhere(
    world,
    (deps, { accept }) => accept(0)(deps),
    ({ deps }) => deps.table.transact([change(Account, { id: 'acc_1' }, { set })]),
    async (made, answer) => {
      expect(await accountsOf(made)).toEqual(['acc_3']);
      expect(answer).toBeInstanceOf(Error);
    },
  );
});

test('the members of an account match the memberships of its logins, whichever of two changes comes first', async () => {
  const joined = async () => {
    const made = await world();
    await made.accept(0)(made.deps);
    return made;
  };
  const remove = (deps: Deps) => removeMember(deps, OWNER, { id: 'guest' });
  const promote = (deps: Deps) => updateMember(deps, OWNER, { id: 'guest', role: 'owner' });
  const leave = (deps: Deps) => leaveAccount(deps, { ...OWNER, session: sessionOf('guest') });
  const resign = (deps: Deps) => leaveAccount(deps, OWNER);
  const join = (deps: Deps, { accept }: World) => accept(1)(deps);
  const all = [remove, promote, leave, resign, join];
  for (const operation of all)
    for (const interruption of all)
      await interruptEverywhere(
        joined,
        operation,
        (made) => interruption(made.deps, made).catch(() => undefined),
        async (made) => {
          const members = await membersOf(made);
          expect((await accountsOf(made)).includes('acc_1')).toBe(members.includes('guest'));
          expect((await accountOf(made)).logins?.toSorted()).toEqual(members.toSorted());
          expect(members.length).toBeGreaterThan(0);
        },
      );
});

test('two concurrent invitations are both stored, also while a member leaves', async () => {
  const joined = async () => {
    const made = await world();
    await made.accept(0)(made.deps);
    return made;
  };
  const invite = (email: string) => (deps: Deps) => inviteMember(deps, OWNER, { email, role: 'developer' });
  const leave = ({ deps }: World) => leaveAccount(deps, { ...OWNER, session: sessionOf('guest') });
  const [one, two] = ['one@example.com', 'two@example.com'];
  const open = async ({ deps }: World) => (await readTeam(deps, 'acc_1')).invitations.map(({ email }) => email);
  await interruptEverywhere(
    joined,
    invite(one),
    ({ deps }) => invite(two)(deps),
    async (made) => {
      expect((await open(made)).toSorted()).toEqual([one, two]);
    },
  );
  await interruptEverywhere(joined, invite(one), leave, async (made) => {
    expect([await open(made), await membersOf(made)]).toEqual([[one], ['owner']]);
  });
});
