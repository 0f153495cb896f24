import * as z from 'zod';
import { DEAD_SERVER } from '../emulators/hosting-panel/panel.ts';
import { functionNamed } from '../lambda/functions.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { FunctionSpec } from '../lambda/pool.ts';
import type { JsonObject } from '../template/intrinsics.ts';

const Made = z.object({ invoiceId: z.string().default(''), subscriptionId: z.string().default('') });
const MONTHLY = { billingCycle: 'MONTHLY' };

/**
 * What the accounts to try the platform with have bought, by the functions that operators use: their plans, web hosting
 * whose server answers for one and not for the other, and invoices of each status. Their balances are as before.
 */
export async function seedBilling(
  { demo, other }: Record<'demo' | 'other', { id: string }>,
  functions: readonly FunctionSpec[],
  lambda: Pick<Lambda, 'invoke'>,
): Promise<void> {
  const invoke = (source: string, input: JsonObject) => lambda.invoke(functionNamed(functions, source).name, input);
  const keepBooks = async (accountId: string, entry: JsonObject) =>
    Made.parse(await invoke('operator/keepBooks', { accountId, ...entry }));
  const grant = async (accountId: string, plan: string, hostingDomain?: string) =>
    (await keepBooks(accountId, { grant: { plan, ...MONTHLY, ...(hostingDomain ? { hostingDomain } : {}) } }))
      .subscriptionId;

  const demoBuys = async () => {
    await grant(demo.id, 'app-10');
    const hosting = await grant(demo.id, 'web-starter', 'demo-shop.co.za');
    // Whoever looks at once is to see the mailboxes; the stream would have it done a moment later.
    await invoke('workflow/settleHosting', { accountId: demo.id, subscriptionId: hosting });
    const moved = { kind: 'PLAN', description: 'Moving a site', cents: 50_000 };
    const { invoiceId } = await keepBooks(demo.id, { invoice: moved });
    await keepBooks(demo.id, { voidInvoice: { id: invoiceId } });
    // More than the wallet has, so that it stays unpaid.
    await keepBooks(demo.id, { invoice: { ...moved, description: 'App 25, a year in advance', cents: 999_000 } });
  };
  const otherBuys = async () => {
    await grant(other.id, 'app-1');
    const hosting = await grant(other.id, 'web-starter', 'other-shop.co.za');
    await invoke('operator/moveHosting', { accountId: other.id, subscriptionId: hosting, server: DEAD_SERVER });
  };
  await Promise.all([demoBuys(), otherBuys()]);
}
