import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { acceptInvitation, inviteMember } from '../../../contract/accounts/members.ts';
import { createApp } from '../../../contract/apps/apps.ts';
import { POLL, waitUntilLoaded } from '../../browser/browser.ts';
import { get } from '../../support/browse.ts';
import { clientOf, local } from '../../support/harness.ts';
import { LoginBrowser } from '../../support/sign-in.ts';
import type { Visitor } from './visitor.ts';

/** A way through the dashboard, from the overview to what a customer came for. */
export interface Way {
  name: string;
  walk: (visitor: Visitor, receiver: string) => Promise<void>;
}

const REPOSITORY = 'https://git.localhost/hello-express.git';
const REGISTRANT = {
  Phone: '+27 21 555 1234',
  'Street and number': '1 Long Street',
  City: 'Cape Town',
  Province: 'Western Cape',
  'Postal code': '8001',
};

/** Makes another person a developer of the account. Returns the address. */
async function addMember({ account }: Visitor): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  const person = { email, password: 'a long password', name: 'Sipho' };
  const { access_token: token } = await new LoginBrowser().signIn(person);
  const { data } = (await account.dashboard.call(inviteMember, { body: { email, role: 'developer' } })).body;
  const body = { token: new URL(data.link ?? '').hash.slice(1) };
  await clientOf({ accessToken: () => token }).call(acceptInvitation, { body });
  return email;
}

/**
 * The ways in the order in which a session walks them: each begins at the navigation, and leaves the account to the next.
 * The account has a key and R5,000 at first, and nothing else.
 */
export const WAYS: readonly Way[] = [
  {
    name: 'first visit: the checklist opens its steps, completes itself, and is dismissed',
    walk: async (visitor) => {
      const { page, press, sees } = visitor;
      await visitor.goTo('Overview');
      await sees('1 of 5 done');
      await press(visitor.link('Buy credits', page.getByRole('list', { name: 'First steps' })));
      await visitor.fill('Amount in rand', '100');
      await visitor.send(visitor.button('Buy credits'));
      await page.getByRole('cell', { name: 'Credits bought' }).waitFor();
      await visitor.goTo('Overview');
      await sees('2 of 5 done');
      await press(visitor.button('Dismiss'));
      await page.getByText('First steps').waitFor({ state: 'detached' });
    },
  },
  {
    name: 'a new application: from its repository to the live page and what it prints',
    walk: async (visitor) => {
      const { page, press, sees } = visitor;
      await visitor.goTo('Applications');
      await press(visitor.link('New application').first());
      await visitor.fill('Git repository', REPOSITORY.replace('hello', 'absent'));
      await sees(/was not found, or is private/);
      await visitor.fill('Git repository', REPOSITORY);
      const findings = page.getByText('Detected on', { exact: false }).locator('..');
      await sees('Express', findings);
      expect(await findings.textContent()).toMatch(/1 branch.*Package managernpm.*Startnode /);
      await visitor.choose('Production branch', 'Default: main');
      await visitor.fill('Name', 'Way');
      await sees('URL: way.apps…');
      await visitor.send(visitor.button('Create application'));
      const log = page.getByRole('log', { name: 'Build log' });
      await expect.poll(() => log.textContent(), { timeout: 120_000 }).toContain('The new release is live');
      await page.getByText('Ready', { exact: true }).waitFor();
      const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
      expect(await steps.first().textContent()).toMatch(/\d s.*Done$/);
      await expect.poll(() => steps.getByText('Done', { exact: true }).count(), POLL).toBe(await steps.count());
      const address = await visitor.link(/^https?:\/\/way/).getAttribute('href');
      expect((await get(local.baseUrl, new URL(address ?? '').hostname)).body).toContain('Hello from Express');
      await press(page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Way' }));
      await expect.poll(() => page.getByText('Live', { exact: true }).count(), POLL).toBe(2);
      await visitor.openTab('Logs');
      const printed = page.getByRole('log', { name: 'Application log' });
      await expect.poll(() => printed.textContent(), { timeout: 60_000 }).toContain('listening on');
    },
  },
  {
    name: 'settings and variables: saved, and deployed again on request',
    walk: async (visitor) => {
      const { page, press, sees } = visitor;
      await visitor.goTo('Applications');
      await press(visitor.link(/^Way/));
      await visitor.openTab('Settings');
      await visitor.fill('Name', 'Way on');
      await visitor.choose('Node version', '22');
      await visitor.send(visitor.button('Save'));
      await page.getByRole('heading', { level: 1, name: 'Way on' }).waitFor();
      await visitor.openTab('Variables');
      await press(visitor.button('Add variable'));
      await visitor.fill('Name', 'GREETING');
      await visitor.fillSecret('Value of GREETING', 'Sawubona');
      await visitor.send(visitor.button('Save variables'));
      await sees(/still uses the previous variables/);
      await visitor.send(visitor.button('Redeploy'));
      await page.getByRole('heading', { level: 1, name: 'Deployment' }).waitFor();
    },
  },
  {
    name: 'an application is deleted only after its name is typed, also while it is deployed',
    walk: async (visitor) => {
      const { account, page, dialog, press, sees } = visitor;
      await account.call(createApp, { body: { name: 'Kept', deployNow: false } });
      await visitor.goTo('Applications');
      await press(visitor.link(/^Way on/));
      await visitor.openTab('Settings');
      await press(visitor.button('Delete application'));
      const confirm = visitor.button('Delete application', dialog);
      expect(await confirm.isDisabled()).toBe(true);
      await visitor.fill('Type “Way on” to confirm', 'way on', dialog);
      expect(await confirm.isDisabled()).toBe(true);
      await visitor.fill('Type “Way on” to confirm', 'Way on', dialog);
      await visitor.send(confirm);
      await page.getByRole('heading', { level: 1, name: 'Applications' }).waitFor();
      await sees('Kept');
      await visitor.link(/^Way on/).waitFor({ state: 'detached' });
    },
  },
  {
    name: 'the command palette finds a resource and an action',
    walk: async (visitor) => {
      const { page, press, sees, dialog } = visitor;
      await visitor.goTo('Billing');
      await press(visitor.button(/^Search/, page.getByRole('banner')));
      const search = 'Search applications, domains, keys and actions';
      await visitor.fill(search, 'kept env');
      await visitor.button('Kept › Variables').waitFor();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Environment variables' }).waitFor();
      await page.keyboard.press('ControlOrMeta+k');
      await visitor.fill(search, 'create an api key');
      await visitor.button('Create an API key').waitFor();
      await page.keyboard.press('Enter');
      await visitor.fill('Name', 'From the palette', dialog);
      await visitor.send(visitor.button('Create key', dialog));
      await sees(/^sk_live_/, dialog);
      await press(visitor.button('Done'));
      await sees('From the palette');
    },
  },
  {
    name: 'members: invited, given another role, and found in the audit log',
    walk: async (visitor) => {
      const { page, press, sees, dialog } = visitor;
      const email = await addMember(visitor);
      await visitor.goTo('Settings');
      await press(visitor.button('Invite member'));
      const invited = `${randomUUID()}@example.com`;
      await visitor.fill('Email address', invited, dialog);
      await visitor.choose('Role', 'billing', dialog);
      await sees('Payments, plans and credits; read-only for everything else', dialog);
      await visitor.send(visitor.button('Create invitation', dialog));
      await sees(/\/dashboard\/invitation#/, dialog);
      await press(visitor.button('Done'));
      await sees(invited, page.getByRole('region', { name: 'Open invitations' }));
      await visitor.choose(`Role of ${email}`, 'read-only');
      await visitor.send(visitor.button('Save role'));
      await sees(/now has the role read-only/);
      await visitor.goTo('Developers', 'Audit log');
      await visitor.choose('Filter by change', 'Member invited');
      const rows = page.getByRole('region', { name: 'Audit log' }).getByRole('row');
      await sees('Member invited', rows);
    },
  },
  {
    name: 'notifications: a kind is switched off, and stays so',
    walk: async (visitor) => {
      const { page, press } = visitor;
      await press(page.getByRole('banner').getByRole('link', { name: /^Notifications/ }));
      const kind = () =>
        page.getByRole('region', { name: 'Notify me of' }).getByRole('checkbox', { name: 'Failed deployments' });
      await visitor.send(kind());
      await expect.poll(() => kind().isChecked(), POLL).toBe(false);
      await page.reload();
      await waitUntilLoaded(page);
      expect(await kind().isChecked()).toBe(false);
    },
  },
  {
    name: 'a domain: searched for, registered, and given a DNS record',
    walk: async (visitor) => {
      const { page, press } = visitor;
      const name = `way-${randomUUID().slice(0, 8)}.co.za`;
      await visitor.goTo('Domains');
      await visitor.fill('Name', name);
      await press(visitor.button('Search', page.getByRole('search')));
      await press(visitor.link(`Register ${name}`));
      for (const [label, value] of Object.entries(REGISTRANT)) await visitor.fill(label, value);
      await visitor.choose('Country', 'South Africa');
      await visitor.send(visitor.button(/^Register for R/));
      const row = page.getByRole('link', { name });
      await row.getByText('Active').waitFor({ timeout: 60_000 });
      await press(row);
      await visitor.choose('Type', 'TXT');
      await visitor.fill('Name', 'www');
      await visitor.fill('Content', 'hello');
      await visitor.send(visitor.button('Add record'));
      await visitor.button(`Delete TXT www.${name}`).waitFor();
    },
  },
  {
    name: 'a webhook endpoint: added, tested, and its delivery replayed',
    walk: async (visitor, receiver) => {
      const { press, sees, dialog } = visitor;
      await visitor.goTo('Developers', 'Webhooks');
      await press(visitor.button('Add endpoint'));
      await visitor.fill('URL', receiver, dialog);
      await press(dialog.getByRole('checkbox', { name: 'app.created' }));
      await visitor.send(visitor.button('Add endpoint', dialog));
      await sees(/^whsec_/, dialog);
      await press(visitor.button('Done'));
      await press(visitor.link(receiver));
      await visitor.send(visitor.button('Send test event'));
      await sees(/HTTP 200/);
      await visitor.send(visitor.button('Replay'));
      await visitor.button(/2 attempts/).waitFor();
    },
  },
  {
    name: 'AI: a provider key is saved, and a model answers in the playground',
    walk: async (visitor) => {
      const { page, press, sees, dialog } = visitor;
      await visitor.goTo('AI', 'Provider keys');
      await press(visitor.button('Save key for OpenAI'));
      await visitor.fillSecret(/^Key/, 'sk-a-key-of-my-own-9876', dialog);
      await visitor.send(visitor.button('Save key', dialog));
      await sees('your key, ending in 9876');
      await visitor.openTab('Playground');
      await visitor.fill('Message', 'What should I build first?');
      await visitor.send(visitor.button('Send'), visitor.button('Try again', page.getByRole('alert')));
      await sees(/tokens in/);
    },
  },
  {
    name: 'money: topped up by card, spent on a plan, and found on its invoice',
    walk: async (visitor) => {
      const { page, press, sees, dialog } = visitor;
      await visitor.goTo('Billing');
      await visitor.fill('Amount in rand', '250');
      await visitor.send(visitor.button('Top up by card'));
      await press(visitor.button('Pay'));
      await sees('Your card payment of R250.00 was added to your wallet.');
      await visitor.openTab('Plans');
      await press(visitor.button('Subscribe to App 3'));
      await visitor.send(visitor.button(/^Subscribe for R/, dialog));
      await sees("You're on App 3.");
      await visitor.openTab('Invoices');
      await press(visitor.link(/^INV-/).first());
      await page.getByRole('article', { name: /^Tax invoice INV-/ }).waitFor();
    },
  },
];
