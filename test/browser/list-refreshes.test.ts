import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { newAccount } from '../support/harness.ts';
import { openScreen, POLL, signedInContext } from './browser.ts';
import { AT, apiKey, call, credits, serveList } from './lists.ts';

/** Holds the reads of a list that match, from `close` to `open`. */
async function createGate(context: BrowserContext, path: string, isHeld: (query: URLSearchParams) => boolean) {
  let opened = Promise.withResolvers<void>();
  let arrived = Promise.withResolvers<void>();
  opened.resolve();
  await context.route(
    (url) => url.pathname.endsWith(`/dashboard/v1${path}`) && isHeld(url.searchParams),
    async (route) => {
      arrived.resolve();
      await opened.promise;
      // The page may have cancelled the request in the meantime.
      await route.fallback();
    },
  );
  return {
    close: () => {
      opened = Promise.withResolvers();
      arrived = Promise.withResolvers();
    },
    /** Resolves when a read has arrived since `close`. */
    arrival: () => arrived.promise,
    open: () => opened.resolve(),
  };
}

const isNextPage = (query: URLSearchParams) => query.has('cursor');
const isFirstPage = (query: URLSearchParams) => !query.has('cursor');

/** Serves the API keys; the first one can be revoked. */
async function serveKeys(context: BrowserContext): Promise<void> {
  let revokedAt: string | null = null;
  await serveList(context, '/keys', (n) => ({ ...apiKey, name: `Item ${n}.`, ...(n === 0 ? { revokedAt } : {}) }));
  await context.route('**/dashboard/v1/keys/id_0', (route) => {
    revokedAt = AT;
    return route.fulfill({ json: { data: { id: 'id_0', deleted: true } } });
  });
}

async function revokeFirstKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Revoke' }).first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

const showMore = (page: Page) => page.getByRole('button', { name: 'Show more' }).click();

test('a write while the next page loads refreshes the list, and the next page follows', async () => {
  const context = await signedInContext(await newAccount());
  await serveKeys(context);
  const nextPage = await createGate(context, '/keys', isNextPage);
  const page = await openScreen(context, 'developers');
  const rows = page.locator('.row');
  await expect.poll(() => rows.count(), POLL).toBe(100);
  nextPage.close();
  await showMore(page);
  await nextPage.arrival();
  await revokeFirstKey(page);
  await rows.first().getByText('Revoked').waitFor();
  nextPage.open();
  await expect.poll(() => rows.count(), POLL).toBe(200);
  await rows.first().getByText('Revoked').waitFor();
});

test('the next page, requested while a write refreshes the list, does not replace the refresh', async () => {
  const context = await signedInContext(await newAccount());
  await serveKeys(context);
  const refresh = await createGate(context, '/keys', isFirstPage);
  const page = await openScreen(context, 'developers');
  const rows = page.locator('.row');
  await expect.poll(() => rows.count(), POLL).toBe(100);
  refresh.close();
  await revokeFirstKey(page);
  await refresh.arrival();
  await showMore(page);
  await page.getByRole('button', { name: 'Show more', disabled: true }).waitFor();
  refresh.open();
  await rows.first().getByText('Revoked').waitFor();
  await expect.poll(() => rows.count(), POLL).toBe(200);
  await rows.first().getByText('Revoked').waitFor();
});

test('the next page of the AI usage history survives a refresh of all reads', async () => {
  const context = await signedInContext(await newAccount());
  await serveList(context, '/ai/credits', () => call, credits);
  const nextPage = await createGate(context, '/ai/credits', isNextPage);
  const page = await openScreen(context, 'ai');
  const rows = page.getByRole('region', { name: 'AI usage history' }).getByRole('row');
  // One row is the head.
  await expect.poll(() => rows.count(), POLL).toBe(101);
  nextPage.close();
  await showMore(page);
  await nextPage.arrival();
  const refreshed = page.waitForResponse((response) => response.url().endsWith('/ai/credits?limit=100'));
  await page.evaluate(`for (const type of ['offline', 'online']) dispatchEvent(new Event(type))`);
  await refreshed;
  nextPage.open();
  await expect.poll(() => rows.count(), POLL).toBe(201);
});
