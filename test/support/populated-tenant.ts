import { randomUUID } from 'node:crypto';
import { createKey } from '../../contract/accounts/api-keys.ts';
import { startExport } from '../../contract/accounts/export.ts';
import { acceptInvitation, inviteMember, listMembers } from '../../contract/accounts/members.ts';
import { putProviderKey } from '../../contract/ai/management.ts';
import { createApp } from '../../contract/apps/apps.ts';
import { replaceEnv } from '../../contract/apps/environment.ts';
import { createTopUp } from '../../contract/billing/top-ups.ts';
import type { Client } from '../../contract/client.ts';
import { setCustomDomain } from '../../contract/custom-domains/custom-domains.ts';
import { createDatabase, listDatabases } from '../../contract/databases/databases.ts';
import { createDeployment, getDeployment } from '../../contract/deployments/deployments.ts';
import { addDnsRecord, listDnsRecords } from '../../contract/dns/records.ts';
import { createWebhook } from '../../contract/webhooks/endpoints.ts';
import { listDeliveries, pingWebhook } from '../../contract/webhooks/management.ts';
import { registerDomain, uniqueDomain } from './domains.ts';
import { finishedExport } from './exports.ts';
import { clientOf, newAccount, type OpenedAccount, waitFor } from './harness.ts';
import { createHosting, waitForPanelStatus } from './hosting.ts';
import { LoginBrowser } from './sign-in.ts';

/** An account with one resource of each collection of the contract. */
export interface PopulatedTenant {
  account: OpenedAccount;
  /** The resource's id by its collection, which is the segment before the parameter of a path: `/v1/apps/{id}`. */
  ids: Record<string, string>;
}

/** Has another login join the account. Returns its id. */
async function joinedMember(dashboard: Client): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  const { link } = (await dashboard.call(inviteMember, { body: { email, role: 'billing' } })).body.data;
  const { access_token: token } = await new LoginBrowser().signIn({ email, password: randomUUID(), name: 'Member' });
  const member = clientOf({ accessToken: () => token });
  await member.call(acceptInvitation, { body: { token: new URL(link).hash.slice(1) } });
  const { data } = (await dashboard.call(listMembers)).body;
  return data.members.find((each) => !each.isYou)?.id ?? '';
}

/** Opens an account with one resource of each collection, at rest: no process is under way. */
export async function populatedTenant(webhookUrl: string): Promise<PopulatedTenant> {
  const account = await newAccount({ walletCents: 500_000 });
  const { dashboard } = account;
  const repoUrl = 'https://git.localhost/no-such-repository.git';
  const ordered = registerDomain(account);
  const apps = (await account.call(createApp, { body: { name: 'Shop', repoUrl, deployNow: false } })).body.data.id;
  await account.call(replaceEnv, {
    params: { id: apps },
    body: { vars: [{ key: 'SECRET', value: 'of this tenant' }] },
  });
  const deployments = (await account.call(createDeployment, { params: { id: apps } })).body.data.id;
  const databases = (await dashboard.call(createDatabase, { body: { applicationId: apps, name: 'shop' } })).body.data
    .id;
  await dashboard.call(setCustomDomain, { params: { id: apps }, body: { domain: uniqueDomain('custom') } });
  await dashboard.call(putProviderKey, { params: { id: 'openai' }, body: { key: 'sk-of-this-tenant-0123456789' } });
  const webhooks = (
    await account.call(createWebhook, { body: { url: webhookUrl, events: ['subscription.cancelled'] } })
  ).body.data.id;
  await dashboard.call(pingWebhook, { params: { id: webhooks } });
  const keys = (await dashboard.call(createKey, { body: { name: 'Second', scopes: ['read'] } })).body.data.id;
  const topups = (await dashboard.call(createTopUp, { body: { amount: '100.00' } })).body.data.paymentId;
  const hosting = (await createHosting(account)).id;
  const { invoice, domain } = await ordered;
  const at = { params: { id: domain.id } };
  await account.call(addDnsRecord, { ...at, body: { type: 'A', name: 'www', content: '192.0.2.1' } });
  const dns = (await account.call(listDnsRecords, at)).body.data[0]?.id ?? '';
  const deliveries = await waitFor(async () => {
    const { data } = (await dashboard.call(listDeliveries, { params: { id: webhooks } })).body;
    return data.every(({ status }) => status === 'DELIVERED') && data[0]?.id;
  });
  await waitForPanelStatus(account, hosting, 'ACTIVE');
  await waitFor(async () => {
    const { data } = (await dashboard.call(listDatabases)).body;
    return data.every(({ status }) => status === 'AVAILABLE');
  });
  await waitFor(async () => {
    const { data } = (await account.call(getDeployment, { params: { id: deployments } })).body;
    return data.finishedAt !== null;
  });
  const members = await joinedMember(dashboard);
  const invited = { email: `${randomUUID()}@example.com`, role: 'read-only' as const };
  const invitations = (await dashboard.call(inviteMember, { body: invited })).body.data.id;
  const { id: exported } = (await dashboard.call(startExport)).body.data;
  await finishedExport(account, exported);
  return {
    account,
    ids: {
      export: exported,
      members,
      invitations,
      apps,
      deployments,
      webhooks,
      deliveries,
      keys,
      topups,
      hosting,
      dns,
      git: apps,
      databases,
      subscriptions: hosting,
      invoices: invoice.id,
      domains: domain.id,
    },
  };
}
