import * as z from 'zod';
import { DEAD_SERVER } from '../emulators/hosting-panel/panel.ts';
import { CARD_SIGNATURE } from '../emulators/payments/payments.ts';
import { functionNamed } from '../lambda/functions.ts';
import type { Lambda } from '../lambda/lambda.ts';
import type { FunctionSpec } from '../lambda/pool.ts';
import type { JsonObject } from '../template/intrinsics.ts';

const Adjustment = z.object({ invoiceId: z.string().default(''), subscriptionId: z.string().default('') });
const MONTHLY = { billingCycle: 'MONTHLY' };

/**
 * Seeds the demo accounts' purchases with the functions that operators use: plans, web hosting (whose server responds for `demo` but
 * not for `other`), and invoices of each status. Balances do not change.
 */
export async function seedBilling(
  { demo, other }: Record<'demo' | 'other', { id: string }>,
  functions: readonly FunctionSpec[],
  lambda: Pick<Lambda, 'invoke'>,
): Promise<void> {
  const invoke = (source: string, input: JsonObject) => lambda.invoke(functionNamed(functions, source).name, input);
  const adjustAccount = async (accountId: string, entry: JsonObject) =>
    Adjustment.parse(await invoke('operator/adjustAccount', { accountId, ...entry }));
  const grant = async (accountId: string, plan: string, hostingDomain?: string) =>
    (await adjustAccount(accountId, { grant: { plan, ...MONTHLY, ...(hostingDomain ? { hostingDomain } : {}) } }))
      .subscriptionId;

  const seedDemo = async () => {
    await grant(demo.id, 'app-10');
    const hosting = await grant(demo.id, 'web-starter', 'demo-shop.co.za');
    // Runs the reconciliation now, so that mailboxes are visible immediately. The stream would start it later.
    await invoke('workflow/reconcileHostingAccount', { accountId: demo.id, subscriptionId: hosting });
    const moved = { kind: 'PLAN', description: 'Moving a site', cents: 50_000 };
    const { invoiceId } = await adjustAccount(demo.id, { invoice: moved });
    await adjustAccount(demo.id, { voidInvoice: { id: invoiceId } });
    // More than one top-up can pay, so that the invoice remains unpaid and money that arrives stays in the wallet.
    await adjustAccount(demo.id, {
      invoice: { ...moved, description: 'Moving 200 sites, in advance', cents: 10_000_000 },
    });
  };
  const seedOther = async () => {
    await grant(other.id, 'app-1');
    const hosting = await grant(other.id, 'web-starter', 'other-shop.co.za');
    await invoke('operator/moveHosting', { accountId: other.id, subscriptionId: hosting, server: DEAD_SERVER });
  };
  // Both have paid with the emulator's card before, so that the money of a top-up buys everything immediately.
  const knownCard = { signature: CARD_SIGNATURE };
  const known = [demo, other].map(({ id }) => adjustAccount(id, { knownCard }));
  await Promise.all([seedDemo(), seedOther(), ...known]);
}
