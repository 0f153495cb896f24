import { expect, test } from 'vitest';
import { Account, Login } from '../../table/entities/accounts.ts';
import { Team } from '../../table/entities/members.ts';
import { change, create } from '../../table/writes.ts';
import { billingSimulation } from '../../test/simulation/billing.ts';
import { listLogin, openLogin } from './logins.ts';
import { removeMember } from './members.ts';

async function harness() {
  const { deps, memory, open } = billingSimulation({});
  const id = await open(0);
  await deps.table.transact([create(Login, { subject: 'ann', accountId: id })]);
  return {
    deps,
    memory,
    list: () => listLogin(deps, { subject: 'ann', accountId: id }),
    suspend: () =>
      deps.table.transact([change(Account, { id }, { set: { suspension: { reason: 'Abuse.', since: '' } } })]),
    account: () => deps.table.get(Account, { id }),
  };
}

test('a login from before accounts listed them is listed once', async () => {
  const { list, account, memory } = await harness();
  await Promise.all([list(), list(), list()]);
  expect((await account())?.logins).toEqual(['ann']);
  expect(memory.items('LOGIN')).toMatchObject([{ subject: 'ann', listed: true }]);
});

test('a login that is not listed yet is refused by a suspended account', async () => {
  const { list, suspend, account } = await harness();
  await suspend();
  await expect(list()).rejects.toMatchObject({ code: 'forbidden', message: 'This account is suspended: Abuse.' });
  expect((await account())?.logins).toBeUndefined();
});

test('the account of a new login lists it', async () => {
  const { deps, memory } = await harness();
  await openLogin(deps, 'bob', { email: 'bob@example.com', name: 'Bob' });
  const bob = memory.items('ACCOUNT').find(({ email }) => email === 'bob@example.com');
  expect(bob).toMatchObject({ logins: ['bob'] });
});

test('a login that is listed while another login leaves the account stays listed', async () => {
  const { deps, memory, list, account } = await harness();
  const { id: accountId = '' } = (await account()) ?? {};
  const member = (subject: string, role: 'owner' | 'developer') => ({
    subject,
    email: '',
    name: '',
    role,
    joinedAt: '',
  });
  const bob = {
    subject: 'bob',
    accountId: 'acc_bob',
    memberships: { [accountId]: { role: 'developer', accountName: '' } },
  };
  await deps.table.transact([
    create(Login, bob as Login),
    create(Team, {
      accountId,
      members: [member('eve', 'owner'), member('bob', 'developer')],
      invitations: [],
      version: 1,
    }),
    change(Account, { id: accountId }, { set: { logins: ['eve', 'bob'] } }),
  ]);
  const commit: typeof deps.commit = async (...parts) => {
    await list();
    return await deps.commit(...parts);
  };
  await removeMember({ ...deps, commit }, { accountId, keyId: '' }, { id: 'bob' });
  expect((await account())?.logins).toEqual(['eve', 'ann']);
  expect(memory.items('TEAM')).toMatchObject([{ members: [{ subject: 'eve' }] }]);
});
