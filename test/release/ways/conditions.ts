import { setTimeout as sleep } from 'node:timers/promises';
import type { Locator, Page, Request, Route } from 'playwright-core';
import { expect } from 'vitest';
import { POLL } from '../../browser/browser.ts';
import type { Sending, Visitor } from './visitor.ts';

/** Requests of the dashboard to its API. */
const API = /\/dashboard\/v1\//;
const isWrite = (request: Request): boolean => request.method() !== 'GET' && API.test(request.url());

/** Milliseconds that each response of a slow API takes longer. */
const DELAY_MS = 1500;

/** Delays each response. What is sent shows its progress, and is sent once however often its button is pressed. */
export async function slow(page: Page): Promise<Sending> {
  await page.route(API, async (route) => {
    await sleep(DELAY_MS);
    await route.continue();
  });
  return async ({ input }, target, again) => {
    const writes: string[] = [];
    const note = (request: Request) => {
      if (isWrite(request)) writes.push(`${request.method()} ${request.url()}`);
    };
    const progress = page.locator('[data-loading=true], [aria-busy=true], input:disabled');
    page.on('request', note);
    const answered = page.waitForEvent('response', (response) => isWrite(response.request()));
    await Promise.all([
      answered,
      input.press(target).then(async () => {
        // A playground's Send becomes Stop.
        if (again === target) await page.keyboard.press('Enter');
        await progress.first().waitFor();
      }),
    ]);
    page.off('request', note);
    expect(writes).toHaveLength(1);
  };
}

interface Failure {
  /** Begins with the next write. */
  begin: () => Promise<unknown>;
  end?: () => Promise<unknown>;
  /** Part of the message that is shown. */
  shown: string;
}

const failure = (status: number, code: string, message: string) => ({
  status,
  headers: { 'x-request-id': `req-${status}`, ...(status === 429 ? { 'retry-after': '1' } : {}) },
  json: { error: { message, code, status } },
});
const BROKEN = failure(500, 'server_error', 'Something went wrong on our side.');
const LIMITED = failure(429, 'rate_limited', 'Too many requests. Try again in a second.');

/** Returns the texts in the fields of the screen. */
const typed = (page: Page): Promise<string[]> =>
  page.evaluate("[...document.querySelectorAll('input:not([type=checkbox]), textarea')].map(({ value }) => value)");

/**
 * Lets the first read of each address fail, by turns with 500 and with 429, and each write twice: with one of them, and without
 * a connection. What was typed is kept, the message says what failed, and the next attempt succeeds.
 */
export async function failing(page: Page): Promise<Sending> {
  const known = new Set<string>();
  let turn = 0;
  const nextFailure = () => {
    turn += 1;
    return turn % 2 === 0 ? BROKEN : LIMITED;
  };
  let armed: ReturnType<typeof failure> | undefined;
  await page.route(API, async (route: Route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    if (isWrite(request) && armed) {
      const response = armed;
      armed = undefined;
      return await route.fulfill(response);
    }
    if (isWrite(request) || known.has(pathname)) return await route.continue();
    known.add(pathname);
    await route.fulfill(nextFailure());
  });
  const context = page.context();
  const failures = (): Failure[] => {
    const response = nextFailure();
    return [
      { begin: async () => (armed = response), shown: response.json.error.message },
      {
        begin: () => context.setOffline(true),
        end: () => context.setOffline(false),
        shown: 'The service could not be reached.',
      },
    ];
  };
  return async (visitor, target, again) => {
    const before = await typed(page);
    let next: Locator = target;
    for (const { begin, end, shown } of failures()) {
      await begin();
      await visitor.press(next);
      await visitor.sees(shown);
      // Fields may be added meanwhile; none that was typed into is emptied.
      if (next === target && again === target) expect(await typed(page)).toEqual(expect.arrayContaining(before));
      if (end) {
        const banner = page.getByText('This page will keep retrying.', { exact: false });
        await banner.waitFor();
        await end();
        await banner.waitFor({ state: 'detached' });
      }
      await closeToasts(visitor);
      next = again;
    }
    const accepted = page.waitForResponse((response) => isWrite(response.request()) && response.ok());
    await visitor.press(next);
    await accepted;
  };
}

/** Closes the reports of failures, which stay until then. */
async function closeToasts({ page, press }: Visitor): Promise<void> {
  const close = page.getByRole('alert').getByRole('button', { name: 'Close' });
  while ((await close.count()) > 0) {
    const count = await close.count();
    await press(close.first());
    await expect.poll(() => close.count(), POLL).toBeLessThan(count);
  }
}
