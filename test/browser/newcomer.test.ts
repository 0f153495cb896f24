import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { newContext, POLL, waitUntilLoaded } from './browser.ts';

test('a new customer signs up, deploys the example in one click, and dismisses the checklist', async () => {
  const page = await (await newContext()).newPage();
  const openOverview = () => page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
  await page.goto('');
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Your name').fill('Thandi Newcomer');
  await page.getByLabel('Email address').fill(`thandi-${randomUUID()}@example.com`);
  await page.getByLabel('Password').fill('a long enough password');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('Deploy your first application').waitFor();
  await page.getByText('0 of 5 done').waitFor();
  // A new account begins with its steps; its health is below them.
  const headings = await page
    .getByRole('list', { name: /^(First steps|Health)$/ })
    .evaluateAll((lists) => lists.map((list) => list.ariaLabel));
  expect(headings).toEqual(['First steps', 'Health']);
  await page.getByRole('button', { name: 'Deploy the example' }).click();
  const log = page.getByRole('log', { name: 'Build log' });
  await expect.poll(() => log.textContent(), POLL).toContain('The new release is live');
  await page.getByText('Ready', { exact: true }).waitFor();
  // Where it is live is said with that, not by a later read of the application, and nothing offers to roll back to it.
  expect(
    await page
      .getByRole('main')
      .getByRole('link', { name: /^http.*\.apps\./ })
      .count(),
  ).toBe(1);
  expect(await page.getByRole('button', { name: 'Roll back' }).count()).toBe(0);
  await openOverview();
  await page.getByText('1 of 5 done').waitFor();
  // What was just recommended is no warning, and the plan's one application makes room for the user's repository.
  expect(await page.getByText('applications in use', { exact: false }).count()).toBe(0);
  await page.getByRole('link', { name: 'Replace the example' }).click();
  await page.getByLabel('Git repository').waitFor();
  await openOverview();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.reload();
  await waitUntilLoaded(page);
  expect(await page.getByText('First steps').count()).toBe(0);
});
