import { setTimeout as sleep } from 'node:timers/promises';
import { createApp, getApp } from '../../contract/apps/apps.ts';
import { type Client, createClient } from '../../contract/client.ts';
import { createDeployment, getDeployment } from '../../contract/deployments/deployments.ts';
import { openAccount } from '../../domain/accounts/accounts.ts';
import type { Local } from '../../test/support/platform.ts';

export interface Customer {
  id: string;
  secretKeys: string[];
  client: Client;
}

export async function openCustomer(local: Local, keyCount: number): Promise<Customer> {
  const { deps } = await import('../../runtime/deps.ts');
  const keys = Array.from({ length: keyCount }, () => ({
    name: 'bench',
    scopes: ['read', 'write', 'deploy', 'ai'] as const,
  }));
  const opened = await openAccount(deps, {
    email: 'bench@example.com',
    name: 'Bench',
    plan: { slug: 'bench', name: 'Bench', appLimit: 10_000 },
    walletCents: 0,
    aiCreditsMicroRand: 1_000_000_000_000,
    keys: keys.map((key) => ({ ...key, scopes: [...key.scopes] })),
  });
  const secretKeys = opened.keys.map(({ secretKey }) => secretKey);
  const client = createClient({ baseUrl: local.baseUrl, secretKey: secretKeys[0] ?? '' });
  return { id: opened.id, secretKeys, client };
}

/** Deploys a server for a customer. Returns the host name of the application. */
export async function deployServer({ client }: Customer, repoUrl: string): Promise<string> {
  const body = { name: 'server', framework: 'NODE' as const, repoUrl, deployNow: false };
  const { id } = (await client.call(createApp, { body })).body.data;
  const queued = await client.call(createDeployment, { params: { id } });
  for (;;) {
    const { data } = (await client.call(getDeployment, { params: { id: queued.body.data.id } })).body;
    if (data.status === 'FAILED') throw new Error(data.log);
    if (data.status === 'SUCCEEDED') break;
    await sleep(100);
  }
  const { data } = (await client.call(getApp, { params: { id } })).body;
  return data.primaryDomain;
}
