import AxeBuilder from '@axe-core/playwright';
import { describe, expect, test } from 'vitest';
import { createApp } from '../../contract/apps/apps.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { newAccount } from '../support/harness.ts';
import { type ContextOptions, openScreen, signedInContext, VIEWPORTS } from './browser.ts';
import { missingStyles } from './styles.ts';

const SCREENS = [
  '/',
  '/apps',
  '/apps/new',
  '/apps/:app',
  '/apps/:app/logs',
  '/apps/:app/env',
  '/apps/:app/domain',
  '/apps/:app/git',
  '/apps/:app/databases',
  '/apps/:app/settings',
  '/domains',
  '/domains/order/example.co.za',
  '/hosting',
  '/billing',
  '/billing/invoices',
  '/billing/plans',
  '/ai',
  '/ai/providers',
  '/ai/playground',
  '/developers',
  '/developers/webhooks',
  '/developers/limits',
  '/developers/audit',
  '/developers/webhooks/:webhook',
  '/nowhere',
];
/** Maximum number of API requests of a screen. */
const MAX_REQUESTS = 3;

const VARIANTS: [string, ContextOptions][] = [
  ['at a desk', { size: 'desk' }],
  ['on a phone, in the dark', { size: 'phone', dark: true }],
];

describe.each(VARIANTS)('%s', (_look, visitor) => {
  test('every screen is accessible, fits, makes few requests, none of which fails, and logs nothing', async () => {
    const account = await newAccount({ walletCents: 100_000, aiCreditsMicroRand: 10_000_000 });
    const app = await account.call(createApp, { body: { name: 'A <b>bold</b> name', framework: 'EXPRESS' } });
    const webhook = await account.call(createWebhook, { body: { url: 'https://example.com/hooks' } });
    const context = await signedInContext(account, visitor);
    const found: Record<string, unknown> = {};
    for (const screen of SCREENS) {
      const path = screen.replace(':app', app.body.data.id).replace(':webhook', webhook.body.data.id);
      const reads: string[] = [];
      const count = (request: { url(): string }) => {
        if (request.url().includes('/dashboard/v1/')) reads.push(request.url());
      };
      const troubles: string[] = [];
      const noteResponse = (response: { status(): number; url(): string }) => {
        if (response.status() >= 400) troubles.push(`${response.status()} ${response.url()}`);
      };
      const noteFailure = (request: { url(): string }) => troubles.push(`failed ${request.url()}`);
      const noteMessage = (message: { text(): string }) => troubles.push(message.text());
      context.on('request', count);
      context.on('response', noteResponse);
      context.on('requestfailed', noteFailure);
      context.on('console', noteMessage);
      const page = await openScreen(context, path);
      context.off('request', count);
      context.off('response', noteResponse);
      context.off('requestfailed', noteFailure);
      context.off('console', noteMessage);
      if (troubles.length > 0) found[`${screen} troubles`] = troubles;
      if (reads.length > MAX_REQUESTS) found[`${screen} reads`] = reads;
      const bare = await missingStyles(page);
      if (bare.length > 0) found[`${screen} has no styles for`] = bare;
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (wide > VIEWPORTS[visitor.size ?? 'desk'].width) found[`${screen} is wide`] = wide;
      const { violations, passes } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      expect(passes.map(({ id }) => id)).toContain('color-contrast');
      const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      for (const { id, nodes } of grave) found[`${screen} ${id}`] = nodes.map(({ html }) => html.slice(0, 200));
      await page.close();
    }
    expect(found).toEqual({});
  }, 240_000);
});
