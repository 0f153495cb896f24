import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { acceptInvitation, inviteMember } from '../../contract/accounts/members.ts';
import { createApp } from '../../contract/apps/apps.ts';
import { reviewPlanLimit } from '../../domain/processes/plan-limit.ts';
import { applySuspension, setSuspension } from '../../domain/processes/suspension.ts';
import { Account } from '../../table/entities/accounts.ts';
import { change } from '../../table/writes.ts';
import { clientOf, newAccount, platformDeps } from '../support/harness.ts';
import { LoginBrowser } from '../support/sign-in.ts';
import { examine } from './accessibility.ts';
import { LAYOUT_SHIFT, openScreen, signedInContext } from './browser.ts';

async function operators() {
  const deps = await platformDeps();
  return {
    /** Suspends or lifts, and waits for what follows. */
    async suspend(accountId: string, reason: string | null, applicationId?: string) {
      await setSuspension(deps, { accountId, reason, ...(applicationId ? { applicationId } : {}) });
      await applySuspension(deps, accountId);
    },
    async shrinkPlan(id: string, appLimit: number) {
      const plan = { slug: 'app-1', name: 'App 1', appLimit };
      await deps.table.transact([change(Account, { id }, { set: { plan } })]);
      await reviewPlanLimit(deps, id);
    },
  };
}

async function seriousViolations(page: Page): Promise<string[]> {
  const { violations } = await examine(page);
  return violations.flatMap(({ id, impact }) => (impact === 'serious' || impact === 'critical' ? [id] : []));
}

test('the owner reads why an application is suspended, when others will be, and why the account is', async () => {
  const [run, account] = await Promise.all([operators(), newAccount()]);
  const create = async (name: string) =>
    (await account.call(createApp, { body: { name, deployNow: false } })).body.data;
  const [first] = [await create('First'), await create('Second'), await create('Third')];
  await run.suspend(account.id, 'Phishing, see case 12.', first.id);
  await run.shrinkPlan(account.id, 1);
  const context = await signedInContext(account);
  const page = await openScreen(context, '/');
  await page.getByText('Your plan allows 1 application, and you have 3. The newest 2 will be suspended on').waitFor();
  // A notice that arrives after the content must not move it: neither at the first visit, nor later.
  const slow = async () => {
    await context.route('**/dashboard/v1/me', async (route) => {
      await new Promise((done) => setTimeout(done, 1000));
      await route.fallback();
    });
    const visit = await context.newPage();
    await openScreen(context, 'apps', visit);
    await visit.getByText('The newest 2 will be suspended on', { exact: false }).waitFor();
    return await visit.evaluate<number>(LAYOUT_SHIFT);
  };
  await page.evaluate(() => sessionStorage.clear());
  expect(await slow()).toBeLessThan(0.01);
  // Content does not wait for a read that hangs.
  await context.unroute('**/dashboard/v1/me');
  await context.route('**/dashboard/v1/me', () => undefined);
  const hanging = await context.newPage();
  await hanging.goto('apps');
  await hanging.getByRole('link', { name: 'First' }).waitFor();
  await hanging.close();
  await context.unroute('**/dashboard/v1/me');
  await page.getByRole('link', { name: 'First' }).click();
  await page.getByText('Phishing, see case 12.').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Upgrade your plan' }).click();
  await page.getByRole('heading', { name: 'Billing' }).waitFor();

  await run.suspend(account.id, 'Payment dispute 4711.');
  await page.goto('apps');
  await page.getByRole('heading', { name: 'Account suspended' }).waitFor();
  await page.getByText('Payment dispute 4711.').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await run.suspend(account.id, null);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'Third' }).waitFor();
});

test('a member of a suspended account reads why on every screen, and switches to another account', async () => {
  const [run, account] = await Promise.all([operators(), newAccount()]);
  const person = { email: `${randomUUID()}@example.com`, password: 'correct horse battery', name: 'Thandi' };
  const { access_token: accessToken } = await new LoginBrowser().signIn(person);
  const body = { email: person.email, role: 'developer' as const };
  const { link } = (await account.dashboard.call(inviteMember, { body })).body.data;
  const token = new URL(link ?? '').hash.slice(1);
  await clientOf({ accessToken: () => accessToken }).call(acceptInvitation, { body: { token } });
  await run.suspend(account.id, 'Payment dispute 4711.');
  const page = await openScreen(await signedInContext({ accessToken }), '');
  const switchTo = async (name: string) => {
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('button', { name }).click();
  };
  await switchTo('Test (developer)');
  // The second screen reads nothing but the account.
  for (const path of ['apps', 'apps/new', 'apps']) {
    await page.goto(path);
    await page.getByRole('heading', { name: 'Account suspended' }).waitFor();
    await page.getByText('This account is suspended: Payment dispute 4711.').waitFor();
  }
  await switchTo('Thandi (owner)');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
});
