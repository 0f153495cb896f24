import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { listKeys } from '../../contract/accounts/api-keys.ts';
import { cancelDeletion, requestDeletion } from '../../contract/accounts/deletion.ts';
import { getMe } from '../../contract/accounts/me.ts';
import { listNotifications } from '../../contract/accounts/notifications.ts';
import { createApp, listApps } from '../../contract/apps/apps.ts';
import { roleMessage, screenRoleMessage } from '../../contract/roles.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { listEndpoints } from '../../contract/webhooks/management.ts';
import { invokeFunction } from '../support/functions.ts';
import { clientOf, codeOf, local, newAccount, waitFor } from '../support/harness.ts';
import { receiver } from '../support/receivers.ts';
import { LoginBrowser } from '../support/sign-in.ts';
import { openScreen, POLL, signedInContext } from './browser.ts';
import { backgroundOf, missingStyles } from './styles.ts';

const HTML = '<h1 onclick="alert(1)">not today</h1>';
test('a key is created with its scopes, its secret is shown once, and it is revoked after confirmation', async () => {
  const account = await newAccount();
  const page = await openScreen(await signedInContext(account), 'developers');
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('From a browser');
  await dialog.getByLabel('read:').uncheck();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByText('Choose at least one').waitFor();
  expect(await missingStyles(page)).toEqual([]);
  await dialog.getByLabel('read:').check();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const secretKey = await dialog.getByText(/^sk_live_/).textContent();
  // Neither loses the secret.
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await dialog.getByText(/^sk_live_/).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect.poll(() => dialog.count(), POLL).toBe(0);
  const client = clientOf({ secretKey: secretKey ?? '' });
  expect((await client.call(listApps)).status).toBe(200);
  expect(await page.content()).not.toContain(secretKey);
  const row = page.locator('.row', { hasText: 'From a browser' });
  await row.getByText(`secret key ending in ${secretKey?.slice(-4)} · created just now`, { exact: false }).waitFor();
  await row.getByRole('button', { name: 'Edit From a browser' }).click();
  await dialog.getByLabel('Monthly AI budget in rand').fill('lots');
  await dialog.getByRole('button', { name: 'Save key' }).click();
  await dialog.getByText('must be rand with two decimals', { exact: false }).waitFor();
  await dialog.getByLabel('Monthly AI budget in rand').fill('250');
  await dialog.getByRole('button', { name: 'Save key' }).click();
  await row.getByText('AI this month: R0.00 of R250.00').waitFor();
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await row.getByText('Revoked').waitFor();
  expect(codeOf(await client.call(listApps))).toBe('unauthorized');
  expect((await account.dashboard.call(listKeys)).body.data).toHaveLength(2);
});

test('neither Escape nor Back closes the dialog while a key is created', async () => {
  const page = await openScreen(await signedInContext(await newAccount()), 'developers');
  const [sent, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route('**/dashboard/v1/keys', async (route) => {
    if (route.request().method() === 'POST') {
      sent.resolve();
      await answered.promise;
    }
    await route.continue();
  });
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Slow');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await sent.promise;
  await page.keyboard.press('Escape');
  await page.goBack();
  answered.resolve();
  await dialog.getByText(/^sk_live_/).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect.poll(() => dialog.count(), POLL).toBe(0);
  expect(new URL(page.url()).pathname).toBe('/dashboard/developers');
});

test('an owner invites a member, who accepts, changes accounts, and is shown what the role allows', async () => {
  const account = await newAccount({ email: 'owner@example.com' });
  const email = `${randomUUID()}@example.com`;
  const page = await openScreen(await signedInContext(account), 'settings');
  await page.getByText('owner@example.com (you)', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Invite member' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Email address').fill('nonsense');
  await dialog.getByRole('button', { name: 'Create invitation' }).click();
  await dialog.getByText('must be an email address', { exact: false }).waitFor();
  await dialog.getByLabel('Email address').fill(email);
  await dialog.getByLabel('Role').selectOption('developer');
  await dialog.getByText('Applications, domains, databases, webhooks', { exact: false }).waitFor();
  await dialog.getByRole('button', { name: 'Create invitation' }).click();
  await dialog.getByText(`We are sending an email with a link to ${email}`, { exact: false }).waitFor();
  const link = (await dialog.getByText('/dashboard/invitation#', { exact: false }).textContent()) ?? '';
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('region', { name: 'Open invitations' }).getByText(email).waitFor();

  const password = 'correct horse battery';
  const { access_token: accessToken } = await new LoginBrowser().signIn({ email, password, name: 'Thandi' });
  const theirs = await openScreen(await signedInContext({ accessToken }), `invitation${new URL(link).hash}`);
  await theirs.getByRole('button', { name: 'Accept invitation' }).click();
  await theirs.getByRole('heading', { name: 'Overview' }).waitFor();
  await theirs.getByRole('link', { name: 'Settings' }).click();
  await theirs.getByText(`${email} (you)`, { exact: false }).waitFor();
  const invite = theirs.getByRole('button', { name: 'Invite member' });
  expect(await invite.isDisabled()).toBe(true);
  expect(await invite.getAttribute('title')).toBe(roleMessage('developer', 'manage'));
  await theirs.getByText(screenRoleMessage('developer', 'manage')).waitFor();
  // What the role may not read is no failure.
  await theirs.getByRole('tab', { name: 'Data' }).click();
  await theirs.getByText(roleMessage('developer', 'manage')).waitFor();
  expect(await theirs.getByRole('alert').count()).toBe(0);
  await theirs.goto('billing/plans');
  const subscribe = theirs.getByRole('button', { name: 'Subscribe to App 3', exact: true });
  await expect.poll(() => subscribe.getAttribute('title'), POLL).toBe(roleMessage('developer', 'pay'));
  // Credits are bought with the account's money, unlike the other actions of their area.
  await theirs.goto('ai');
  await theirs.getByText(roleMessage('developer', 'pay')).waitFor();
  expect(await theirs.getByRole('button', { name: 'Buy credits' }).isDisabled()).toBe(true);
  // The notices above every screen follow the role too.
  const confirm = (await account.dashboard.call(getMe)).body.data.account.email;
  await account.dashboard.call(requestDeletion, { body: { confirm } });
  await theirs.reload();
  const cancel = theirs.getByRole('button', { name: 'Cancel deletion' });
  await expect.poll(() => cancel.getAttribute('title'), POLL).toBe(roleMessage('developer', 'manage'));
  await account.dashboard.call(cancelDeletion);
  await theirs.goto('settings');

  await page.reload();
  await page.getByLabel(`Role of ${email}`).selectOption('read-only');
  await page.getByRole('button', { name: 'Save role' }).click();
  await page.getByText('now has the role read-only', { exact: false }).waitFor();
  await theirs.reload();
  await theirs.getByText(`${email} (you)`, { exact: false }).waitFor();
  await theirs.getByRole('button', { name: 'Account Test' }).click();
  const entry = (name: string) => theirs.getByRole('button', { name });
  expect(await backgroundOf(entry('Test (read-only)'))).not.toBe(await backgroundOf(entry('Thandi (owner)')));
  await theirs.keyboard.press('Escape');
  await theirs.getByRole('link', { name: 'Developers' }).click();
  await theirs.getByText(screenRoleMessage('read-only', 'develop')).waitFor();
  await theirs.getByRole('button', { name: 'Create key' }).click();
  await theirs.getByRole('dialog').getByText(roleMessage('read-only', 'develop')).waitFor();
  expect(await theirs.getByRole('dialog').getByRole('button', { name: 'Create key' }).isDisabled()).toBe(true);

  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect.poll(() => page.getByLabel(`Role of ${email}`).count(), POLL).toBe(0);
  // The next request is refused, and the dashboard goes on in the login's own account.
  await theirs.reload();
  await theirs.getByRole('heading', { name: 'Overview' }).waitFor();
  await theirs.getByRole('link', { name: 'Settings' }).click();
  await expect.poll(() => theirs.getByRole('button', { name: 'Invite member' }).isEnabled(), POLL).toBe(true);
});

test('the bell opens the notifications, which are marked as read and switched off', async () => {
  const account = await newAccount();
  const body = { name: 'Broken', framework: 'NODE', repoUrl: 'https://git.localhost/none.git' } as const;
  await account.dashboard.call(createApp, { body });
  await waitFor(async () => (await account.dashboard.call(getMe)).body.data.unreadNotifications === 1);
  const page = await openScreen(await signedInContext(account), '');
  await page.getByRole('link', { name: 'Notifications, 1 unread' }).click();
  const row = page.locator('.row', { hasText: 'A deployment of Broken failed.' });
  await row.getByText('New', { exact: false }).waitFor();
  // A kind of a newer release, while the dashboard is still the older one's.
  await page.route('**/v1/notifications', async (route) => {
    const response = await route.fetch();
    const json = await response.text();
    await route.fulfill({ response, body: json.replace('"kind":"deployment-failed"', '"kind":"newer"') });
  });
  await page.reload();
  await row.waitFor();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await expect.poll(() => row.getByText('New', { exact: false }).count(), POLL).toBe(0);
  const failures = (region: string) => page.getByRole('region', { name: region }).getByLabel('Failed deployments');
  await failures('Email me about').click();
  await expect.poll(() => failures('Email me about').isChecked(), POLL).toBe(false);
  await failures('Notify me of').click();
  await page.getByText('No notifications').waitFor();
  expect(await failures('Email me about').isChecked()).toBe(false);
  await page.getByRole('link', { name: 'Notifications', exact: true }).first().waitFor();
});

test('kinds of notifications are switched off one after the other before the list is read again', async () => {
  const account = await newAccount();
  const page = await openScreen(await signedInContext(account), 'settings/notifications');
  // The list is not answered any more.
  await page.route('**/dashboard/v1/notifications', () => undefined);
  const kind = (region: string, name: string) => page.getByRole('region', { name: region }).getByLabel(name);
  await kind('Notify me of', 'Failed deployments').click();
  await kind('Notify me of', 'A low balance').click();
  await kind('Email me about', 'Failed payments').click();
  const settings = await waitFor(async () => {
    const { data } = (await account.dashboard.call(listNotifications)).body;
    return data.offByMail.length > 0 && data;
  });
  expect(settings).toMatchObject({ off: ['deployment-failed', 'low-balance'], offByMail: ['payment-failed'] });
  await expect.poll(() => kind('Email me about', 'Failed payments').isChecked(), POLL).toBe(false);
  expect(await kind('Notify me of', 'A low balance').isChecked()).toBe(false);
});

test('the audit log shows who changed what, and is filtered', async () => {
  const account = await newAccount();
  const { body } = await account.call(createWebhook, { body: { url: 'https://example.com/audited' } });
  const page = await openScreen(await signedInContext(account), 'developers/audit');
  const rows = page.getByRole('region', { name: 'Audit log' }).locator('tbody tr');
  const added = rows.filter({ hasText: 'Webhook endpoint added' });
  await added.getByText('https://example.com/audited').waitFor();
  expect(await added.textContent()).toContain('API key');
  expect(await added.textContent()).not.toContain(body.data.secret);
  expect(await rows.count()).toBe(2);
  await page.getByLabel('Filter by actor').selectOption('API key');
  await expect.poll(() => rows.count(), POLL).toBe(1);
  await page.getByLabel('Filter by change').selectOption('API key revoked');
  await page.getByText('No changes').waitFor();
});

test('on a phone the audit log shows entries with many values in its width', async () => {
  const account = await newAccount();
  const repoUrl = `https://git.localhost/${'a-long-name-'.repeat(10)}.git`;
  await account.call(createApp, { body: { name: 'Many values', framework: 'EXPRESS', repoUrl, deployNow: false } });
  const page = await openScreen(await signedInContext(account, { size: 'phone' }), 'developers/audit');
  const log = page.locator('.sideways');
  await log.getByText('Application created').waitFor();
  expect(await log.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  // No value is squeezed into a column of letters.
  const heights = await log.locator('tbody tr td > *').evaluateAll((all) => all.map((each) => each.clientHeight));
  expect(Math.max(...heights)).toBeLessThan(200);
});

test('an endpoint is added and tested, its response is shown as text, and the delivery is resent', async () => {
  const failing = await receiver((_, response) => response.writeHead(500, { 'content-type': 'text/html' }).end(HTML));
  onTestFinished(failing.stop);
  const account = await newAccount();
  const page = await openScreen(await signedInContext(account), 'developers/webhooks');
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('ftp://example.com');
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  await dialog.getByText('https://', { exact: false }).first().waitFor();
  await dialog.getByLabel('URL').fill(failing.url);
  await dialog.getByLabel('Description').fill('A receiver that fails');
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  await dialog.getByText(/^whsec_/).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('link', { name: failing.url }).click();
  await page.getByRole('button', { name: 'Send test event' }).click();
  const row = page.locator('.row', { hasText: 'ping' });
  await row.getByText('HTTP 500', { exact: false }).waitFor();
  // A delivery that will be tried again is no success yet.
  const chart = page.getByRole('slider', { name: 'Deliveries by status' });
  const values = () => chart.getAttribute('aria-valuetext');
  await expect.poll(values, POLL).toMatch(/Waiting 1, Delivered 0, Failed or skipped 0$/);
  await row.getByRole('button', { name: '1 attempt' }).click();
  await row.getByText(HTML).waitFor();
  await row.getByText('content-type: text/html', { exact: false }).waitFor();
  await row.getByText('first byte', { exact: false }).waitFor();
  const before = failing.received.length;
  await row.getByRole('button', { name: 'Replay' }).click();
  await row.getByRole('button', { name: '2 attempts' }).waitFor();
  expect(failing.received.length).toBeGreaterThan(before);
  expect(new Set(failing.received.map(({ body }) => JSON.parse(body).id)).size).toBe(1);
});

test('an endpoint is edited, and disabled after confirmation', async () => {
  const account = await newAccount();
  const { id } = (await account.call(createWebhook, { body: { url: 'https://example.com/hooks' } })).body.data;
  const page = await openScreen(await signedInContext(account), `developers/webhooks/${id}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('URL').fill('https://example.com/moved');
  await dialog.getByLabel('app.created').check();
  await dialog.getByRole('button', { name: 'Save endpoint' }).click();
  await page.getByText('https://example.com/moved').waitFor();
  await page.locator('p', { hasText: /^app\.created$/ }).waitFor();
  await page.getByRole('button', { name: 'Disable' }).click();
  await dialog.getByRole('button', { name: 'Disable' }).click();
  await page.getByText('Disabled', { exact: true }).waitFor();
  await page.getByText('This endpoint was disabled by a member of the account.', { exact: false }).waitFor();
  expect((await account.dashboard.call(listEndpoints)).body.data).toMatchObject([
    { id, url: 'https://example.com/moved', events: ['app.created'], active: false },
  ]);
});

test('a rotated secret is shown once, and an endpoint is deleted after confirmation', async () => {
  const account = await newAccount();
  const created = await account.call(createWebhook, { body: { url: 'https://example.com/hooks' } });
  const page = await openScreen(await signedInContext(account), `developers/webhooks/${created.body.data.id}`);
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('button', { name: 'Create new secret' }).click();
  const secret = await page.getByText(/^whsec_/).textContent();
  expect(secret).not.toBe(created.body.data.secret);
  await page.getByRole('button', { name: 'Done' }).click();
  // The call succeeds, but its response is lost: sent again, the endpoint is not found.
  const statuses: number[] = [];
  await page.route(`**/dashboard/v1/webhooks/${created.body.data.id}`, async (route) => {
    if (route.request().method() !== 'DELETE') return await route.fallback();
    const response = await route.fetch();
    statuses.push(response.status());
    await (statuses.length === 1 ? route.abort('connectionreset') : route.fulfill({ response }));
  });
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByLabel('Type “example.com”').fill('example.com');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No endpoints yet').waitFor();
  expect(statuses).toEqual([200, 404]);
});

test('the reference finds operations, fills in the reader’s keys, and sends real requests with their login', async () => {
  const account = await newAccount();
  const context = await signedInContext(account);
  const page = await context.newPage();
  await page.goto('/docs');
  await page.getByText(/^Signed in/).waitFor();
  const section = page.locator('#checkDomain');
  await expect.poll(() => section.locator('pre.curl').textContent(), POLL).toContain(account.publicKey);
  await page.getByRole('searchbox', { name: 'Search' }).fill('availability of a domain');
  await expect.poll(() => page.locator('section:visible').count(), POLL).toBe(1);
  await page.getByRole('searchbox', { name: 'Search' }).fill('');
  await page.getByRole('button', { name: 'Python' }).click();
  await page.locator('#listApps pre.python').waitFor();
  expect(await page.locator('#listApps pre.curl').isVisible()).toBe(false);
  await page.getByLabel('Your secret key').fill(account.secretKey);
  await expect.poll(() => page.locator('#listApps pre.python').textContent(), POLL).toContain(account.secretKey);
  await page.getByLabel('Your secret key').fill('');
  const attempt = page.locator('#createApp form.try');
  await page.locator('#createApp summary').click();
  await attempt.getByLabel('Body').fill('{"name": "<b>Tried</b>", "framework": "NODE"}');
  await attempt.getByRole('button', { name: 'Send POST' }).click();
  await attempt.locator('output', { hasText: '<b>Tried</b>' }).waitFor();
  expect((await account.dashboard.call(listApps)).body.data.map(({ name }) => name)).toEqual(['<b>Tried</b>']);
});

test('an account is exported, downloaded, and its deletion requested and cancelled on any screen', async () => {
  const account = await newAccount();
  const page = await openScreen(await signedInContext(account), 'settings/data');
  const exports = page.getByRole('region', { name: 'Exports' }).first();
  await exports.getByText('No exports').waitFor();
  await exports.getByRole('button', { name: 'Start export' }).click();
  await exports.getByText('Queued').waitFor();
  expect(await exports.getByRole('button', { name: 'Start export' }).isDisabled()).toBe(true);
  await invokeFunction(local, 'schedule-serveAccounts');
  const saved = page.waitForEvent('download');
  await exports.getByRole('button', { name: 'Download' }).click();
  expect((await saved).suggestedFilename()).toMatch(/^hosting-export-.*\.zip$/);

  const { email } = (await account.dashboard.call(getMe)).body.data.account;
  await page.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(`Type “${email}” to confirm`).fill(email);
  await dialog.getByRole('button', { name: 'Delete account' }).click();
  await page.getByText('The account is scheduled for deletion.').waitFor();
  await page.getByRole('link', { name: 'Applications' }).click();
  const banner = page.getByRole('status').filter({ hasText: 'This account will be deleted on' });
  await openScreen(page.context(), 'developers', page);
  await banner.getByRole('button', { name: 'Cancel deletion' }).click();
  await expect.poll(() => banner.count(), POLL).toBe(0);
});
