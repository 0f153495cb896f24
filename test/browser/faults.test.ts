import type { BrowserContext, Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { newAccount } from '../support/harness.ts';
import { openScreen, POLL, signedInContext } from './browser.ts';
import { SCREENS } from './screen-paths.ts';
import { populatedAccount } from './screens.ts';

const NAME = '<img src=x onerror=alert(1)>';
const FAILED = { error: { message: 'Something went wrong on our side.', code: 'server_error', status: 500 } };
const RETRYING = 'This page will keep retrying.';

test('a failing read shows the request id and recovers automatically', async () => {
  const account = await newAccount();
  await account.call(createApp, { body: { name: 'Still here' } });
  const context = await signedInContext(account);
  let failing = true;
  await context.route('**/dashboard/v1/apps*', (route) =>
    failing
      ? route.fulfill({ status: 500, headers: { 'x-request-id': 'req-to-quote' }, json: FAILED })
      : route.continue(),
  );
  const page = await openScreen(context, 'apps');
  await page.getByRole('alert').getByText('Something went wrong on our side.').waitFor();
  await page.getByText('req-to-quote').waitFor();
  await page.getByText(RETRYING, { exact: false }).waitFor();
  failing = false;
  await page.getByText('Still here').waitFor();
  await expect.poll(() => page.getByText(RETRYING, { exact: false }).count(), POLL).toBe(0);
});

/** Screens that read nothing when they are opened. */
const WITHOUT_READS: readonly string[] = ['/invitation', '/nowhere', '/operator'];
/** Screens without a read of their own that could fail, and with a form that works without its reads. */
const WITHOUT_ALERT: readonly string[] = [...WITHOUT_READS, '/apps/new'];

test('every screen says that the API is slow, unreachable or failing, and recovers automatically', async () => {
  const { openContexts, pathOf } = await populatedAccount('absent');
  const contextOf = await openContexts();
  let answer: (route: Route) => Promise<unknown> = (route) => route.continue();
  for (const context of new Set(SCREENS.map(contextOf))) {
    // Retries and their pauses pass at once.
    await context.clock.install();
    await context.route(/\/(dashboard|operator)\/v1\//, (route) => answer(route));
  }
  const found: Record<string, string> = {};
  // A page for each role: a browser starts a process for a new one.
  const pages = new Map<BrowserContext, Page>();
  for (const screen of SCREENS) {
    const hasReads = !WITHOUT_READS.includes(screen);
    const held: Route[] = [];
    answer = async (route) => held.push(route);
    const context = contextOf(screen);
    const page = pages.get(context) ?? (await context.newPage());
    pages.set(context, page);
    await page.goto(pathOf(screen).slice(1));
    /** Lets time pass until a text is shown; says of which screen it was not. */
    const expectShown = async (what: string, text: string, isShown = true) => {
      const shown = page.getByText(text, { exact: false });
      const isRight = async () => {
        await page.clock.fastForward(3000);
        return (await shown.count()) > 0 === isShown;
      };
      await expect
        .poll(isRight, POLL)
        .toBe(true)
        .catch(() => {
          found[`${screen} ${what}`] = `“${text}” was ${isShown ? 'not' : 'still'} shown`;
        });
    };
    // The first screen of a tab waits for the account's notices.
    await page.locator('main').locator('[aria-busy=true], h1').first().waitFor();
    if (hasReads) {
      await expectShown('slow', 'The service is responding slowly.');
      answer = (route) => route.abort();
      await Promise.all(held.map((route) => route.abort()));
      await expectShown('unreachable', RETRYING);
      if (!WITHOUT_ALERT.includes(screen)) await expectShown('unreachable', 'The service could not be reached.');
      answer = (route) => route.fulfill({ status: 500, json: FAILED });
      if (!WITHOUT_ALERT.includes(screen)) await expectShown('failing', FAILED.error.message);
    }
    answer = (route) => route.continue();
    await expectShown('recovered', RETRYING, false);
    await expectShown('recovered', 'The service could not be reached.', false);
    await expectShown('recovered', FAILED.error.message, false);
  }
  expect(found).toEqual({});
}, 360_000);

test('a failed read is repeated on request', async () => {
  const context = await signedInContext(await newAccount());
  let answer = (route: Route): unknown => route.abort();
  await context.route('**/dashboard/v1/hosting*', (route) => answer(route));
  const page = await openScreen(context, 'hosting');
  const alert = page.getByRole('alert').getByText('The service could not be reached.');
  await alert.waitFor();
  const held: Route[] = [];
  answer = (route) => held.push(route);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => held.length, POLL).toBe(1);
  // No first load, whose skeletons would take the reason away until the repeat has failed too.
  await page.getByRole('button', { name: 'Try again', disabled: true }).waitFor();
  expect([await alert.count(), await page.locator('main [aria-busy=true]').count()]).toEqual([1, 0]);
  await held[0]?.continue();
  await page.getByText('No hosting yet').waitFor();
});

test.each([
  ['account', '**/dashboard/v1/me', ''],
  ['domain', '**/v1/domains/dom_1', 'domains/dom_1'],
  ['payment', '**/dashboard/v1/wallet/topups/pay_1', 'billing?payment=pay_1'],
])('the failed read of the %s keeps its message while it is repeated', async (_, url, path) => {
  const context = await signedInContext(await newAccount());
  let answer = (route: Route): unknown => route.abort();
  await context.route(url, (route) => answer(route));
  const page = await context.newPage();
  await page.goto(path);
  const main = page.locator('main');
  const alert = main.getByRole('alert').getByText('The service could not be reached.');
  await alert.waitFor();
  const held: Route[] = [];
  answer = (route) => held.push(route);
  await main.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => held.length, POLL).toBe(1);
  await main.getByRole('button', { name: 'Try again', disabled: true }).waitFor();
  expect([await alert.count(), await main.getByText('DNS records').count()]).toEqual([1, 0]);
});

test('a screen that polls nothing shows that the connection is lost, and back', async () => {
  const context = await signedInContext(await newAccount());
  const page = await openScreen(context, 'apps/new');
  await page.getByText('applications in use', { exact: false }).waitFor();
  await page.getByLabel('Name').fill('Typed before');
  await context.setOffline(true);
  await page.getByText(RETRYING, { exact: false }).waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Typed before');
  await context.setOffline(false);
  await page.getByText(RETRYING, { exact: false }).waitFor({ state: 'detached' });
});

test('loaded data stays visible while a refresh fails', async () => {
  const account = await newAccount();
  await account.call(createApp, { body: { name: 'Kept in sight' } });
  const context = await signedInContext(account);
  const page = await openScreen(context, 'apps');
  await context.route('**/dashboard/v1/**', (route) => route.fulfill({ status: 503, json: FAILED }));
  await page.getByRole('link', { name: 'Overview' }).click();
  await page.getByText('Kept in sight').waitFor();
  await page.getByText(RETRYING, { exact: false }).waitFor();
});

test('a slow API is waited for, and the screen says so', async () => {
  const context = await signedInContext(await newAccount());
  const { promise: seen, resolve: answer } = Promise.withResolvers<void>();
  await context.route('**/dashboard/v1/apps*', async (route) => {
    await seen;
    await route.continue();
  });
  const page = await context.newPage();
  await page.goto('apps');
  await page.getByText('The service is responding slowly.', { exact: false }).waitFor();
  answer();
  await page.getByText('No applications yet').waitFor();
  await expect.poll(() => page.getByText('The service is responding slowly.', { exact: false }).count(), POLL).toBe(0);
});

test('a response other than JSON is a failure like any other', async () => {
  const context = await signedInContext(await newAccount());
  await context.route('**/dashboard/v1/apps*', (route) => route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }));
  const page = await openScreen(context, 'apps');
  await page.getByRole('alert').getByText('The service could not be reached.').waitFor();
});

test('names and logs with HTML and escape sequences are shown as text', async () => {
  const account = await newAccount();
  const { data } = (await account.call(createApp, { body: { name: NAME } })).body;
  const context = await signedInContext(account);
  const deployment = {
    id: 'dep_1',
    applicationId: data.id,
    status: 'FAILED',
    trigger: 'API',
    commitSha: 'abc1234',
    startedAt: data.createdAt,
    finishedAt: data.createdAt,
  };
  const lines = [NAME, '\u001b[31mred\u001b[0m \u001b]0;title\u0007<script>alert(1)</script>'];
  const log = lines.map((text, before) => ({ n: before + 1, at: data.createdAt, text }));
  await context.route('**/dashboard/v1/apps/*/deployments*', (route) =>
    route.fulfill({ json: { data: [deployment], has_more: false } }),
  );
  await context.route('**/dashboard/v1/deployments/dep_1/log*', (route) =>
    route.fulfill({ json: { data: log, has_more: false } }),
  );
  const page = await openScreen(context, `apps/${data.id}`);
  let ran = false;
  page.on('dialog', (dialog) => {
    ran = true;
    void dialog.dismiss();
  });
  await page.getByRole('heading', { name: NAME }).waitFor();
  await page.goto(`apps/${data.id}/deployments/dep_1`);
  const shown = page.getByRole('log', { name: 'Build log' });
  await shown.waitFor();
  expect(await shown.textContent()).toBe(`${NAME}\nred <script>alert(1)</script>`);
  expect(await shown.locator('.ansi-31').textContent()).toBe('red');
  expect(await page.locator('img[src=x]').count()).toBe(0);
  expect(ran).toBe(false);
});

test('a failed first deployment says that nothing is live, and a release that is gone cannot be rolled back to', async () => {
  const account = await newAccount();
  const { data } = (await account.call(createApp, { body: { name: 'Never live', deployNow: false } })).body;
  const at = data.createdAt;
  const of = { applicationId: data.id, trigger: 'API', commitSha: 'abc1234', startedAt: at, finishedAt: at };
  const failed = { ...of, id: 'dep_1', status: 'FAILED', canRollBack: false };
  const gone = { ...of, id: 'dep_2', status: 'SUCCEEDED', canRollBack: false };
  const kept = { ...of, id: 'dep_3', status: 'SUCCEEDED', canRollBack: true };
  const log = [{ n: 1, at, text: '==> Deployment failed: the build command ended with 1' }];
  const context = await signedInContext(account);
  await context.route('**/dashboard/v1/apps/*/deployments*', (route) =>
    route.fulfill({ json: { data: [failed, gone, kept], has_more: false } }),
  );
  await context.route('**/dashboard/v1/deployments/*/log*', (route) =>
    route.fulfill({ json: { data: log, has_more: false } }),
  );
  const page = await openScreen(context, `apps/${data.id}/deployments/dep_1`);
  await page.getByRole('region', { name: 'Deployment failed' }).getByText('Nothing is live yet.').waitFor();
  const offers = async (id: string) => {
    await page.goto(`apps/${data.id}/deployments/${id}`);
    await page.getByRole('button', { name: 'Deploy latest commit' }).waitFor();
    return await page.getByRole('button', { name: 'Roll back' }).count();
  };
  expect([await offers('dep_1'), await offers('dep_2'), await offers('dep_3')]).toEqual([0, 0, 1]);
});

test('a deployment that cannot be read for the moment is not said to be missing', async () => {
  const account = await newAccount();
  const { data } = (await account.call(createApp, { body: { name: 'Older', deployNow: false } })).body;
  const context = await signedInContext(account);
  let isFailing = true;
  await context.route('**/dashboard/v1/deployments/dep_9', (route) =>
    isFailing ? route.fulfill({ status: 500, json: FAILED }) : route.continue(),
  );
  const page = await openScreen(context, `apps/${data.id}/deployments/dep_9`);
  await page.getByRole('alert').getByText(FAILED.error.message).waitFor();
  expect(await page.getByText('Deployment not found').count()).toBe(0);
  isFailing = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByText('Deployment not found').waitFor();
});

test('a build that fails while its log is paused shows the rest of the log and the reason', async () => {
  const account = await newAccount();
  const { data } = (await account.call(createApp, { body: { name: 'Paused', deployNow: false } })).body;
  const at = data.createdAt;
  const of = { applicationId: data.id, trigger: 'API', commitSha: 'abc1234', startedAt: at, canRollBack: false };
  const deployment = { ...of, id: 'dep_1', status: 'RUNNING', finishedAt: null as string | null };
  const log = [{ n: 1, at, text: 'Installing' }];
  const context = await signedInContext(account);
  await context.route('**/dashboard/v1/apps/*/deployments*', (route) =>
    route.fulfill({ json: { data: [deployment], has_more: false } }),
  );
  await context.route('**/dashboard/v1/deployments/dep_1/log*', (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get('after'));
    return route.fulfill({ json: { data: log.filter(({ n }) => n > after), has_more: false } });
  });
  const page = await openScreen(context, `apps/${data.id}/deployments/dep_1`);
  const shown = page.getByRole('log', { name: 'Build log' });
  await shown.getByText('Installing').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  log.push({ n: 2, at, text: '==> Deployment failed: the build command ended with 1' });
  Object.assign(deployment, { status: 'FAILED', finishedAt: at });
  await page.getByRole('region', { name: 'Deployment failed' }).waitFor();
  await shown.getByText('the build command ended with 1').waitFor();
});

test('navigation focuses the title of the new screen, and works by keyboard', async () => {
  const page = await openScreen(await signedInContext(await newAccount()), '');
  await page.keyboard.press('Tab');
  expect(await page.getByRole('link', { name: 'Skip to content' }).evaluate((e) => e.matches(':focus'))).toBe(true);
  await page.getByRole('link', { name: 'Billing' }).focus();
  await page.keyboard.press('Enter');
  const title = page.getByRole('heading', { level: 1, name: 'Billing' });
  await title.waitFor();
  await expect.poll(() => title.evaluate((e) => e.matches(':focus')), POLL).toBe(true);
  expect(await page.title()).toBe('Billing · Dashboard');
});

test('on a phone the navigation is hidden until it is opened', async () => {
  const page = await openScreen(await signedInContext(await newAccount(), { size: 'phone' }), '');
  const home = await page.locator('header .brand').boundingBox();
  const search = await page.getByRole('button', { name: /^Search/ }).boundingBox();
  expect((home?.x ?? 0) + (home?.width ?? 0)).toBeLessThanOrEqual(search?.x ?? 0);
  expect(await page.locator('header').evaluate((header) => header.scrollWidth <= header.clientWidth)).toBe(true);
  // Of the buttons only the address of the login is shortened.
  const cut = page.locator('header .header-button:not(.account-button)');
  expect(await cut.evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth).length)).toBe(0);
  const link = page.getByRole('link', { name: 'Billing' });
  const button = page.getByRole('button', { name: 'Navigation' });
  await expect.poll(() => link.isVisible(), POLL).toBe(false);
  await button.click();
  await link.click();
  await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor();
  await expect.poll(() => link.isVisible(), POLL).toBe(false);
  expect(await button.getAttribute('aria-expanded')).toBe('false');
});

test('the colors follow the system until the user chooses, and the choice persists', async () => {
  const context = await signedInContext(await newAccount(), { dark: true });
  const page = await openScreen(context, '');
  const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme');
  expect(await scheme()).toBe('dark');
  await page.getByRole('button', { name: 'Switch to light colours' }).click();
  expect(await scheme()).toBe('light');
  await page.reload();
  await page.getByRole('button', { name: 'Switch to dark colours' }).waitFor();
  expect(await scheme()).toBe('light');
});

test('a screen reads as soon as its code has arrived: no timer holds it back', async () => {
  const context = await signedInContext(await newAccount());
  await context.clock.install();
  await context.clock.pauseAt(Date.now() + 1000);
  const page = await context.newPage();
  const read = page.waitForRequest('**/dashboard/v1/apps?*');
  await page.goto('apps');
  await read;
});

test('an area whose script fails to load leaves the others usable, and is loaded on the next visit', async () => {
  const context = await signedInContext(await newAccount());
  let failing = true;
  await context.route('**/dashboard/assets/Billing-*.js', (route) => (failing ? route.abort() : route.continue()));
  const page = await openScreen(context, 'apps');
  await page.getByRole('link', { name: 'Billing' }).click();
  await page.getByRole('alert').getByText('This screen could not be loaded').waitFor();
  failing = false;
  await page.getByRole('link', { name: 'Applications' }).click();
  await page.getByText('No applications yet').waitFor();
  await page.getByRole('link', { name: 'Billing' }).click();
  await page.getByRole('heading', { name: 'Billing' }).waitFor();
});

test('on a phone the selected tab is in sight', async () => {
  const account = await newAccount();
  const { data } = (await account.call(createApp, { body: { name: 'Narrow' } })).body;
  const page = await openScreen(await signedInContext(account, { size: 'phone' }), `apps/${data.id}/settings`);
  const tab = page.getByRole('tab', { name: 'Settings' });
  const isInSight = async () => {
    const box = await tab.boundingBox();
    return box !== null && box.x >= 0 && box.x + box.width <= 390;
  };
  await expect.poll(isInSight, POLL).toBe(true);
});
