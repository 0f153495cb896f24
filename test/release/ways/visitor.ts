import type { Locator, Page } from 'playwright-core';
import { waitUntilLoaded } from '../../browser/browser.ts';
import type { OpenedAccount } from '../../support/harness.ts';

/** A way of operating the dashboard: with a pointer, or with the keyboard alone. */
export interface Input {
  /** Presses a link, a button, a tab or a checkbox. */
  press: (target: Locator) => Promise<void>;
  /** Replaces the text of a field. */
  fill: (field: Locator, text: string) => Promise<void>;
  /** Chooses an option of a select by its label. */
  choose: (select: Locator, label: string) => Promise<void>;
}

export const POINTER: Input = {
  press: (target) => target.click(),
  fill: (field, text) => field.fill(text),
  choose: async (select, label) => {
    await select.selectOption({ label });
  },
};

/**
 * The API's behavior while something is sent: presses what sends it until the API accepts it, and checks what is shown meanwhile.
 *
 * @param again what repeats it after a failure, if that is something else
 */
export type Sending = (visitor: Visitor, target: Locator, again: Locator) => Promise<void>;

interface VisitorOptions {
  page: Page;
  account: OpenedAccount;
  input: Input;
  sending: Sending;
}

/** A person on a way through the dashboard. Everything is found by its accessible role and name. */
export class Visitor {
  readonly page: Page;
  readonly account: OpenedAccount;
  readonly input: Input;
  readonly #sending: Sending;

  constructor({ page, account, input, sending }: VisitorOptions) {
    this.page = page;
    this.account = account;
    this.input = input;
    this.#sending = sending;
  }

  /** The open dialog. */
  get dialog(): Locator {
    return this.page.getByRole('dialog');
  }

  button = (name: string | RegExp, within: Page | Locator = this.page): Locator =>
    within.getByRole('button', { name, exact: true });

  /** A link by its name, or by a part of it: rows are links too. */
  link = (name: string | RegExp, within: Page | Locator = this.page): Locator => within.getByRole('link', { name });

  /** Waits for a text, or a part of one. */
  sees = (text: string | RegExp, within: Page | Locator = this.page): Promise<void> =>
    within.getByText(text).first().waitFor();

  press = (target: Locator): Promise<void> => this.input.press(target);

  fill = (label: string, text: string, within: Page | Locator = this.page): Promise<void> =>
    this.input.fill(within.getByRole('textbox', { name: label, exact: true }), text);

  /** Types a secret; its field has no role, so that it is found by its label alone. */
  fillSecret = (label: string | RegExp, text: string, within: Page | Locator = this.page): Promise<void> =>
    this.input.fill(within.getByLabel(label, { exact: true }), text);

  choose = (label: string, option: string, within: Page | Locator = this.page): Promise<void> =>
    this.input.choose(within.getByRole('combobox', { name: label, exact: true }), option);

  /** Opens an area by the navigation, which a phone hides behind a button, and one of its tabs. */
  goTo = async (area: string, tab?: string): Promise<void> => {
    const menu = this.page.getByRole('button', { name: 'Navigation' });
    const navigation = this.page.getByRole('navigation', { name: 'Main' });
    if (await menu.isVisible()) await this.press(menu);
    await this.press(navigation.getByRole('link', { name: area, exact: true }));
    await this.page.getByRole('heading', { level: 1, name: area, exact: true }).waitFor();
    if (tab !== undefined) await this.openTab(tab);
    await waitUntilLoaded(this.page);
  };

  openTab = async (name: string): Promise<void> => {
    await this.press(this.page.getByRole('tab', { name, exact: true }));
    await this.page.getByRole('tab', { name, exact: true, selected: true }).waitFor();
  };

  /** Sends something by pressing a button, under the conditions of the variant. */
  send = (target: Locator, again: Locator = target): Promise<void> => this.#sending(this, target, again);
}
