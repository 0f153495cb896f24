import { expect, test } from 'vitest';
import { Account, Login } from '../../table/entities/accounts.ts';
import { change, create } from '../../table/writes.ts';
import { billingSimulation } from '../../test/simulation/billing.ts';
import { listLogin, openLogin } from './logins.ts';

async function harness() {
  const { deps, memory, open } = billingSimulation({});
  const id = await open(0);
  await deps.table.transact([create(Login, { subject: 'ann', accountId: id })]);
  return {
    ...{ deps, memory },
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

test('a login that is not listed yet is refused in a suspended account', async () => {
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
