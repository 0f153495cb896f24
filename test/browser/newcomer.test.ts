import { mkdirSync } from 'node:fs';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, receiver } from '../support/receivers.ts';
import { newContext, waitUntilLoaded } from './browser.ts';

/** Folder for the documentation's screenshots; none are taken without it. */
const { SCREENSHOTS } = process.env;

let hooks: Receiver;
let context: BrowserContext;
let page: Page;

async function takeScreenshot(name: string): Promise<void> {
  if (!SCREENSHOTS) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  await page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, animations: 'disabled', scale: 'css' });
}

const goTo = async (area: string, tab?: string) => {
  await page.getByRole('navigation').getByRole('link', { name: area, exact: true }).click();
  if (tab) await page.getByRole('tab', { name: tab }).click();
  await waitUntilLoaded(page);
};

beforeAll(async () => {
  hooks = await receiver();
});
afterAll(() => hooks.stop());

test('a new customer goes from signing up to an application, a webhook, money, credits and a chat', async () => {
  context = await newContext();
  page = await context.newPage();
  await page.goto('');
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Your name').fill('Thandi Newcomer');
  await page.getByLabel('E-mail address').fill('thandi@example.com');
  await page.getByLabel('Password').fill('a long enough password');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('Deploy your first application').waitFor();
  await waitUntilLoaded(page);
  await takeScreenshot('overview');

  await goTo('Developers');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('My laptop');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page
    .getByRole('dialog')
    .getByText(/^sk_live_/)
    .waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('My laptop').waitFor();

  await goTo('Developers', 'Webhooks');
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByRole('dialog').getByLabel('URL').fill(hooks.url);
  await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByRole('button', { name: 'Done' }).click();

  await goTo('Applications');
  await page.getByRole('link', { name: 'New application' }).first().click();
  await page.getByLabel('Git repository').fill('https://git.localhost/hello-express.git');
  await page.getByText('Detected on', { exact: false }).waitFor();
  await takeScreenshot('new-application');

  await goTo('Overview');
  await page.getByText('2 of 5 done').waitFor();
  await page.getByRole('button', { name: 'Deploy the example' }).click();
  const log = page.getByRole('log', { name: 'Build log' });
  await expect.poll(() => log.textContent(), { timeout: 60_000 }).toContain('The new release is live');
  await page.getByText('Ready', { exact: true }).waitFor();
  await takeScreenshot('deployment');

  await goTo('Developers', 'Webhooks');
  await page.getByRole('link', { name: hooks.url }).click();
  const delivery = page.locator('.row', { hasText: 'deployment.succeeded' });
  await delivery.getByText('HTTP 200', { exact: false }).waitFor();
  await delivery.getByRole('button', { name: 'Replay' }).click();
  await delivery.getByRole('button', { name: '2 attempts' }).click();
  await takeScreenshot('webhook');
  const succeeded = hooks.received.filter(({ body }) => JSON.parse(body).type === 'deployment.succeeded');
  expect(succeeded.map(({ body }) => JSON.parse(body).id)).toEqual(
    Array(2).fill(JSON.parse(succeeded[0]?.body ?? '').id),
  );

  await goTo('Billing');
  await page.getByLabel('Amount in rand').fill('500');
  await page.getByRole('button', { name: 'Top up by card' }).click();
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByText('Your card payment of R500.00 was added to your wallet.').waitFor();
  await waitUntilLoaded(page);
  await takeScreenshot('wallet');

  await goTo('AI');
  await page.getByLabel('Amount in rand').fill('100');
  await page.getByRole('button', { name: 'Buy credits' }).click();
  await page.getByRole('cell', { name: 'Credits bought' }).waitFor();

  await page.getByRole('tab', { name: 'Provider keys' }).click();
  await page.getByRole('button', { name: 'Save key for OpenAI' }).click();
  await page.getByRole('dialog').getByLabel(/^Key/).fill('sk-a-key-of-my-own-9876');
  await page.getByRole('dialog').getByRole('button', { name: 'Save key' }).click();
  await page.getByText('your key, ending in 9876').waitFor();

  await page.getByRole('tab', { name: 'Playground' }).click();
  await page.getByLabel('Message').fill('What should I build first?');
  await page.getByLabel('Message').press('Enter');
  await page.getByText('tokens in', { exact: false }).waitFor();
  await takeScreenshot('playground');

  await goTo('Overview');
  await page.getByText('4 of 5 done').waitFor();
  await page.getByRole('link', { name: 'Choose a repository' }).waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.reload();
  await waitUntilLoaded(page);
  expect(await page.getByText('First steps').count()).toBe(0);
}, 150_000);
