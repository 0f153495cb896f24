import axe, { type AxeResults, type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * Examines a page for accessibility. A page receives axe once, because compiling it takes longer than all rules; elements are named
 * of violations only, because those of the rules that pass take as long again.
 */
export async function examine(page: Page, options: RunOptions = {}): Promise<AxeResults> {
  // Strings, which the content security policy of the page does not concern.
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  return await page.evaluate(`axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], ...options })})`);
}
