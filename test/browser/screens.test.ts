import { join } from 'node:path';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { examine } from './accessibility.ts';
import { type ContextOptions, LAYOUT_SHIFT, openScreen, VIEWPORTS } from './browser.ts';
import { SCREENS } from './screen-paths.ts';
import { populatedAccount } from './screens.ts';
import { missingStyles } from './styles.ts';

/** Folder for the pictures of docs/images/screens; none are taken without it. */
const { SCREENSHOTS } = process.env;

async function takePicture(page: Page, screen: string, { size = 'desk' }: ContextOptions): Promise<void> {
  if (!SCREENSHOTS) return;
  const name = screen === '/' ? 'overview' : screen.slice(1).replaceAll(':', '').replaceAll('/', '-');
  const path = join(SCREENSHOTS, `${name}${size === 'phone' ? '-phone' : ''}.jpg`);
  await page.screenshot({ path, type: 'jpeg', quality: 60, animations: 'disabled', scale: 'css' });
}

/** Maximum number of API requests of a screen: its own three, and the one of the frame for the account and its notices. */
const MAX_REQUESTS = 4;

/** Half of a good layout shift: what moves under the pointer loses a click. */
const MAX_LAYOUT_SHIFT = 0.05;

const API = /\/(?:dashboard|operator)\/v1\//;
/** Time between the answers of a screen, in milliseconds: each is painted before the next arrives. */
const ANSWER_PAUSE_MS = 150;

/** Delays the requests of a screen, so that their answers arrive apart: in the order of the requests at a desk, in the opposite one on a phone. */
function spreadAnswers({ size }: ContextOptions): (route: Route) => Promise<void> {
  const last = MAX_REQUESTS - 1;
  let requests = 0;
  return async (route) => {
    const turn = Math.min(requests, last);
    requests += 1;
    await new Promise((done) => setTimeout(done, (size === 'phone' ? last - turn : turn) * ANSWER_PAUSE_MS));
    await route.fallback();
  };
}

/** Runs in the page: returns what is out of sight at its right once charts have followed its width, of the page itself or of a table. */
const OUT_OF_SIGHT = `new Promise((done) => requestAnimationFrame(() => setTimeout(done))).then(() =>
  [document.documentElement, ...document.querySelectorAll('.sideways')]
    .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
    .map((each) => each.ariaLabel ?? 'the page'))`;

const VARIANTS: [string, ContextOptions][] = [
  ['at a desk', { size: 'desk' }],
  ['on a phone, in the dark', { size: 'phone', dark: true }],
];

describe.each(VARIANTS)('%s', (_look, visitor) => {
  test('every screen is accessible, fits, makes few requests, none of which fails, and logs nothing', async () => {
    const { openContexts, pathOf } = await populatedAccount();
    const contextOf = await openContexts(visitor);
    const found: Record<string, unknown> = {};
    // A page for each role: a browser starts a process for a new one.
    const pages = new Map<BrowserContext, Page>();
    for (const screen of SCREENS) {
      const [path, context] = [pathOf(screen), contextOf(screen)];
      const reads: string[] = [];
      const count = (request: { url(): string }) => {
        if (API.test(request.url())) reads.push(request.url());
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
      const spread = spreadAnswers(visitor);
      await context.route(API, spread);
      const page = await openScreen(context, path, pages.get(context)).catch((error) => {
        throw new Error(`${screen} did not load`, { cause: error });
      });
      await context.unroute(API, spread);
      context.off('request', count);
      context.off('response', noteResponse);
      context.off('requestfailed', noteFailure);
      context.off('console', noteMessage);
      pages.set(context, page);
      if (troubles.length > 0) found[`${screen} troubles`] = troubles;
      if (reads.length > MAX_REQUESTS) found[`${screen} reads`] = reads;
      const shift = await page.evaluate<number>(LAYOUT_SHIFT);
      if (shift > MAX_LAYOUT_SHIFT) found[`${screen} moves while it loads`] = shift;
      const bare = await missingStyles(page);
      if (bare.length > 0) found[`${screen} has no styles for`] = bare;
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (wide > VIEWPORTS[visitor.size ?? 'desk'].width) found[`${screen} is wide`] = wide;
      const { violations, passes } = await examine(page);
      expect(passes.map(({ id }) => id)).toContain('color-contrast');
      const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      for (const { id, nodes } of grave) found[`${screen} ${id}`] = nodes.map(({ html }) => html.slice(0, 200));
      if (visitor.size === 'desk') {
        // The other colors have the same elements: their contrast is what may differ.
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.locator('html[data-mantine-color-scheme=dark]').waitFor();
        const dark = await examine(page, { runOnly: ['color-contrast'] });
        for (const { nodes } of dark.violations)
          found[`${screen} in the dark`] = nodes.map(({ html }) => html.slice(0, 200));
        await page.emulateMedia({ colorScheme: 'light' });
        for (const size of ['tablet', 'desk'] as const) {
          await page.setViewportSize(VIEWPORTS[size]);
          const cut = await page.evaluate<string[]>(OUT_OF_SIGHT);
          if (cut.length > 0) found[`${screen} is wide (${size})`] = cut;
        }
      }
      await takePicture(page, screen, visitor);
      // What this screen still asks for is not the next one's.
      await page.goto('about:blank');
    }
    expect(found).toEqual({});
  }, 600_000);
});
