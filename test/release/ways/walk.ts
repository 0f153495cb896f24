import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type ContextOptions, openScreen, signedInContext } from '../../browser/browser.ts';
import { newAccount } from '../../support/harness.ts';
import { receiver } from '../../support/receivers.ts';
import { type Input, type Sending, Visitor } from './visitor.ts';
import { WAYS } from './ways.ts';

interface Variant extends ContextOptions {
  input: (page: Page) => Input;
  conditions: (page: Page) => Promise<Sending>;
}

/** Walks all ways one after another in one session. A way that is not walked to its end does not keep the others from being walked. */
export async function walkAll({ input, conditions, ...options }: Variant): Promise<void> {
  const account = await newAccount({ walletCents: 500_000 });
  const context = await signedInContext(account, options);
  const hooks = await receiver();
  const page = await openScreen(context, '');
  const visitor = new Visitor({ page, account, input: input(page), sending: await conditions(page) });
  const failed: Record<string, unknown> = {};
  for (const { name, walk } of WAYS) {
    try {
      await walk(visitor, hooks.url);
      const { scrollWidth, clientWidth } = await page.evaluate<Record<'scrollWidth' | 'clientWidth', number>>(
        '(({ scrollWidth, clientWidth }) => ({ scrollWidth, clientWidth }))(document.documentElement)',
      );
      expect(scrollWidth, 'nothing is wider than the window').toBeLessThanOrEqual(clientWidth);
    } catch (error) {
      failed[name] = error instanceof Error ? error.stack : error;
      await context.setOffline(false);
      await page.goto('');
    }
  }
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await hooks.stop();
  expect(failed).toEqual({});
}
