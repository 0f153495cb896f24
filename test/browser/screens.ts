import type { BrowserContext } from 'playwright-core';
import { buyAiCredits } from '../../contract/ai/management.ts';
import { createApp } from '../../contract/apps/apps.ts';
import { listInvoices } from '../../contract/billing/invoices.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { registerDomain } from '../support/domains.ts';
import { newAccount, type OpenedAccount } from '../support/harness.ts';
import { createHosting, waitForPanelStatus } from '../support/hosting.ts';
import { newOperator } from '../support/operator.ts';
import { type ContextOptions, signedInContext } from './browser.ts';

export interface Populated {
  account: OpenedAccount;
  /** Returns the path of a screen with the ids of the account's resources. */
  pathOf: (screen: string) => string;
  /** Opens a browser for each role, and returns which one sees a screen: operators see theirs, and the account the others. */
  openContexts: (options?: ContextOptions) => Promise<(screen: string) => BrowserContext>;
}

/**
 * Opens an account that has something on every screen.
 *
 * @param repository name of the deployed repository; the deployment of one that is absent fails at once
 */
export async function populatedAccount(repository = 'hello-express'): Promise<Populated> {
  const account = await newAccount({ walletCents: 200_000, aiCreditsMicroRand: 10_000_000 });
  const repoUrl = `https://git.localhost/${repository}.git`;
  const [operator, app, deployed, webhook, { domain }, hosting] = await Promise.all([
    newOperator(),
    account.call(createApp, { body: { name: 'A <b>bold</b> name', framework: 'EXPRESS' } }),
    account.call(createApp, { body: { name: 'hello-express', framework: 'EXPRESS', repoUrl } }),
    account.call(createWebhook, { body: { url: 'https://example.com/hooks' } }),
    registerDomain(account),
    createHosting(account),
  ]);
  await waitForPanelStatus(account, hosting.id, 'ACTIVE');
  await account.dashboard.call(buyAiCredits, { body: { amount: '100.00' } });
  const [invoice] = (await account.call(listInvoices)).body.data;
  const ids: Record<string, string | null | undefined> = {
    app: app.body.data.id,
    deployed: deployed.body.data.id,
    deployment: deployed.body.data.activeDeploymentId,
    webhook: webhook.body.data.id,
    domain: domain.id,
    invoice: invoice?.id,
    hosting: hosting.id,
    customer: account.id,
  };
  const openContexts = async (options: ContextOptions = {}) => {
    const own = await signedInContext(account, options);
    const operators = await signedInContext(operator, options);
    return (screen: string) => (screen.startsWith('/operator') ? operators : own);
  };
  return {
    account,
    openContexts,
    pathOf: (screen) => screen.replace(/:(\w+)/g, (_, name: string) => ids[name] ?? name),
  };
}
