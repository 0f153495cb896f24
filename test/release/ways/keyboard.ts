import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { POLL } from '../../browser/browser.ts';
import type { Input } from './visitor.ts';

/** Presses of Tab until a screen counts as one on which the element cannot be reached. */
const MAX_TABS = 150;

const isFocused = (target: Locator): Promise<boolean> =>
  target.evaluate((each) => each === each.ownerDocument.activeElement);

/** Returns what a sighted person sees of an element; that of a switch is beside its input, and that of a field around it. */
const appearance = (target: Locator): Promise<string> =>
  target.evaluate((each) =>
    [each, each.parentElement, each.nextElementSibling, each.parentElement?.nextElementSibling]
      .filter((part) => part !== null && part !== undefined)
      .map((part) => {
        const style = each.ownerDocument.defaultView?.getComputedStyle(part);
        const { outlineStyle, outlineWidth, outlineColor, boxShadow, borderColor } = style;
        return [outlineStyle === 'none' ? '' : `${outlineWidth} ${outlineColor}`, boxShadow, borderColor].join();
      })
      .join(';'),
  );

/** Returns whether an element is before the one with the focus, so that Shift+Tab reaches it. */
const isBeforeFocus = (target: Locator): Promise<boolean> =>
  target.evaluate((each) => {
    const { activeElement, body } = each.ownerDocument;
    if (activeElement === null || activeElement === body) return false;
    return (activeElement.compareDocumentPosition(each) & each.DOCUMENT_POSITION_PRECEDING) > 0;
  });

/** Moves the focus to an element with Tab alone, which must be visible there. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  await expect.poll(() => target.isEnabled(), POLL).toBe(true);
  // Before the question: a dialog focuses its field after it has opened.
  const before = await appearance(target);
  if (await isFocused(target)) return;
  const key = (await isBeforeFocus(target)) ? 'Shift+Tab' : 'Tab';
  for (let tabs = 0; !(await isFocused(target)); tabs += 1) {
    if (tabs === MAX_TABS) throw new Error(`not reached with Tab: ${target}`);
    await page.keyboard.press(key);
  }
  // The color of a border changes by a transition.
  await expect
    .poll(() => appearance(target), { ...POLL, message: `the focus of ${target} is not visible` })
    .not.toBe(before);
}

/** Returns the position of the chosen option of a select, and of one with a label. */
const positions = async (select: Locator, label: string): Promise<{ chosen: number; wanted: number }> => {
  const labels = await select.locator('option').allTextContents();
  const chosen = await select.locator('option:checked').textContent();
  return { chosen: labels.indexOf(chosen ?? ''), wanted: labels.indexOf(label) };
};

/** Operates a page with Tab, Enter, the space bar, the arrows and letters only. */
export function keyboardOf(page: Page): Input {
  return {
    press: async (target) => {
      const role = await target.evaluate((each) => each.getAttribute('role') ?? each.tagName);
      if (role === 'tab') {
        // A list of tabs is one stop of Tab; the arrows move within it.
        const list = page.getByRole('tablist').filter({ has: target });
        await tabTo(page, list.getByRole('tab', { selected: true }));
        const tabs = await list.getByRole('tab').count();
        for (let moved = 0; !(await isFocused(target)); moved += 1) {
          if (moved > tabs) throw new Error(`not reached with the arrows: ${target}`);
          await page.keyboard.press('ArrowRight');
        }
      } else await tabTo(page, target);
      await page.keyboard.press(role === 'A' || role === 'tab' ? 'Enter' : 'Space');
    },
    fill: async (field, text) => {
      await tabTo(page, field);
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.type(text);
    },
    choose: async (select, label) => {
      await tabTo(page, select);
      const { chosen, wanted } = await positions(select, label);
      if (wanted < 0) throw new Error(`no option “${label}”: ${select}`);
      for (let at = chosen; at !== wanted; at += Math.sign(wanted - at))
        await page.keyboard.press(at < wanted ? 'ArrowDown' : 'ArrowUp');
      expect((await positions(select, label)).chosen).toBe(wanted);
    },
  };
}
