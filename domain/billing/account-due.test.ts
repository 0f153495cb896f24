import { expect, test } from 'vitest';
import { DEFAULT_PLAN } from '../../contract/billing/plans.ts';
import { Account } from '../../table/entities/accounts.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { replaceDueReasons } from './account-due.ts';

const DAYS = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'] as const;
const [first, second, third, fourth] = DAYS;

const accountWith = (reasons: Partial<Account>): Account => ({
  id: 'acc_1',
  email: 'owner@example.com',
  name: 'Owner',
  plan: DEFAULT_PLAN,
  walletCents: 0,
  appCount: 5,
  createdAt: first,
  ...reasons,
});
const limitUntil = (enforcedUntil: string) => ({
  enforcedUntil,
  steps: [
    { appLimit: 3, suspendsAt: second },
    { appLimit: 1, suspendsAt: fourth },
  ],
});

test('an account is due at the earliest of its reasons, and reasons that are not replaced keep their times', () => {
  const of = (account: Partial<Account>, reasons: Parameters<typeof replaceDueReasons>[1]) => {
    const { set, remove } = replaceDueReasons(accountWith(account), reasons);
    return { set, remove };
  };
  const topUpAt = third;
  expect(of({ topUpAt }, { reapplyAt: first })).toEqual({
    set: { reapplyAt: first, ...schedule(Account, first) },
    remove: [],
  });
  expect(of({ topUpAt }, { reapplyAt: fourth })).toEqual({
    set: { reapplyAt: fourth, ...schedule(Account, third) },
    remove: [],
  });
  // The next step of the limit counts, not one that is enforced already.
  expect(of({ topUpAt, planLimit: limitUntil(first) }, { topUpAt: undefined })).toEqual({
    set: schedule(Account, second),
    remove: ['topUpAt'],
  });
  expect(of({ topUpAt, planLimit: limitUntil(second) }, { topUpAt: undefined })).toEqual({
    set: schedule(Account, fourth),
    remove: ['topUpAt'],
  });
  // A limit whose steps are all enforced is no reason.
  expect(of({ topUpAt, planLimit: limitUntil(fourth) }, { topUpAt: undefined })).toEqual({
    set: {},
    remove: ['topUpAt', ...unschedule(Account)],
  });
});

test('the change fails once any reason has changed since the account was read', () => {
  const { when } = replaceDueReasons(accountWith({ topUpAt: third, planLimitVersion: 2 }), { topUpAt: undefined });
  expect(when).toEqual({ reapplyAt: 'absent', planLimitVersion: { is: 2 }, topUpAt: { is: third } });
});
