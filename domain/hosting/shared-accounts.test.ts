import { expect, test } from 'vitest';
import type { Subscription } from '../../table/entities/billing.ts';
import { requiredState } from './shared-accounts.ts';

const NOW = new Date('2026-06-01T00:00:00.000Z');
let bought = 0;
function subscription(
  [slug, category, storageGb]: [string, 'WEB' | 'EMAIL', number?],
  { status = 'ACTIVE', until = '2026-07-01' }: { status?: Subscription['status']; until?: string } = {},
): Subscription {
  bought += 1;
  return {
    id: `sub_${bought}`,
    accountId: 'acc_1',
    plan: { slug, name: slug, category, ...(storageGb === undefined ? {} : { storageGb }) },
    billingCycle: 'MONTHLY',
    priceCents: 100,
    status,
    hostingDomain: 'shop.co.za',
    currentPeriodEnd: `${until}T00:00:00.000Z`,
    createdAt: new Date(Date.parse('2026-01-01') + bought * 1000).toISOString(),
    cancelledAt: null,
  };
}

test('a smaller plan that is bought while a larger one is paid takes nothing from it', () => {
  const large = subscription(['web-pro', 'WEB', 150], { status: 'CANCELLED', until: '2027-06-01' });
  const small = subscription(['web-starter', 'WEB', 10]);
  expect(requiredState([large, small], NOW)).toEqual({ status: 'ACTIVE', plan: 'web-pro' });
  expect(requiredState([small, large], new Date('2027-06-02'))).toEqual({ status: 'ACTIVE', plan: 'web-starter' });
});

test('a larger plan is served at once, also beside one that an earlier version sold without its storage', () => {
  const old = subscription(['web-starter', 'WEB'], { status: 'CANCELLED' });
  const larger = subscription(['web-business', 'WEB', 50]);
  expect(requiredState([larger, old], NOW).plan).toBe('web-business');
  const oldest = [subscription(['web-starter', 'WEB']), subscription(['web-pro', 'WEB'])] as const;
  expect(requiredState(oldest, NOW).plan, 'the newest').toBe('web-pro');
});

test('a website keeps its web root beside email hosting with more storage, unless only email is paid', () => {
  const web = subscription(['web-starter', 'WEB', 10]);
  const email = subscription(['email-business', 'EMAIL', 50]);
  expect(requiredState([email, web], NOW).plan).toBe('web-starter');
  expect(requiredState([{ ...web, status: 'SUSPENDED' }, email], NOW)).toEqual({
    status: 'ACTIVE',
    plan: 'email-business',
  });
});
