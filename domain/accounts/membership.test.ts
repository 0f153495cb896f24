import { expect, test } from 'vitest';
import { Login } from '../../table/entities/accounts.ts';
import { membershipOf } from './membership.ts';

const memberships = { acc_b: { role: 'read-only' as const, accountName: 'B' } };

test.each(['acc_c', 'constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty', ''])(
  'a login has no membership in %j',
  (id) => {
    const login = { subject: 's', accountId: 'acc_a' };
    expect(membershipOf(Login.parse({ ...login, memberships }), id)).toBeUndefined();
    expect(membershipOf(Login.parse(login), id)).toBeUndefined();
  },
);

test('a login has the membership of its own account and the ones that it lists', () => {
  const login = Login.parse({ subject: 's', accountId: 'acc_a', memberships });
  expect(membershipOf(login)).toMatchObject({ accountId: 'acc_a', role: 'owner' });
  expect(membershipOf(login, 'acc_b')).toEqual({ accountId: 'acc_b', role: 'read-only', accountName: 'B' });
});
