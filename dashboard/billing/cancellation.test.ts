import { expect, test } from 'vitest';
import { describeCancellation } from './cancellation.ts';

const NOW = Date.parse('2026-11-20T12:00:00.000Z');
const [PAID, OVERDUE] = ['2026-12-01T12:00:00.000Z', '2026-11-15T12:00:00.000Z'];
const web = { plan: { slug: 'web-pro', name: 'Web Pro', category: 'WEB' as const }, hostingDomain: 'shop.co.za' };
const app = (slug: string, name: string) => ({
  plan: { slug, name, category: 'APP' as const },
  hostingDomain: null,
  currentPeriodEnd: PAID,
});

test('cancelling hosting says when its files and mail are deleted, and that an overdue plan ends immediately', () => {
  expect(describeCancellation({ ...web, currentPeriodEnd: PAID }, NOW)).toBe(
    'The plan stays active until 01 Dec 2026 and is not renewed. The files and mail of shop.co.za are deleted then, unless you have another plan for this domain.',
  );
  expect(describeCancellation({ ...web, currentPeriodEnd: OVERDUE }, NOW)).toBe(
    'Its paid period is over: the plan ends immediately, and its unpaid invoice becomes void. The files and mail of shop.co.za are deleted immediately, unless you have another plan for this domain.',
  );
  const email = {
    plan: { slug: 'email-basic', name: 'Email Basic', category: 'EMAIL' as const },
    hostingDomain: 'a.co.za',
  };
  expect(describeCancellation({ ...email, currentPeriodEnd: PAID }, NOW)).toContain('The mailboxes of a.co.za are');
});

test('cancelling a plan for applications says to which plan the account moves', () => {
  expect(describeCancellation(app('app-10', 'App 10'), NOW)).toContain('moves to App 1 (1 application)');
  expect(describeCancellation(app('app-1', 'App 1'), NOW)).toContain('Every account has App 1 free: nothing else');
});
