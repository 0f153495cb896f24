import type { getAiCredits as ReadRoute } from '../../contract/ai/management.ts';
import type { Input, Output } from '../../contract/route.ts';
import { AiAccount, AiAudit, AiEntry, aiEntriesOf } from '../../table/entities/ai.ts';
import { schedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import type { Caller, Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { timestampAfter } from '../time.ts';
import { debtToRand, microRandToRand } from './prices.ts';
import { startOf, windowsOf } from './windows.ts';

/** Returns an entry as its account sees it. */
export function viewEntry(entry: AiEntry): Output<typeof ReadRoute>['data']['entries'][number] {
  const { id, requestId, type, model, inputTokens, cachedTokens, cacheWriteTokens, outputTokens } = entry;
  const { amountMicroRand, createdAt } = entry;
  return {
    id,
    requestId,
    type,
    model,
    inputTokens,
    cachedTokens,
    cacheWriteTokens,
    outputTokens,
    amountMicroRand,
    createdAt,
  };
}

/** Returns micro-rand amounts as their account sees them: credits rounded down, debt rounded up. */
export const viewCredits = (balanceMicroRand: number, availableMicroRand: number, debtMicroRand: number) => ({
  balance: microRandToRand(balanceMicroRand),
  balanceMicroRand,
  available: microRandToRand(availableMicroRand),
  availableMicroRand,
  debt: debtToRand(debtMicroRand),
  debtMicroRand,
});

/** GET /dashboard/v1/ai/credits: the balance, and a page of the ledger, newest first. */
export async function readCredits(
  deps: Deps,
  { accountId }: Pick<Caller, 'accountId'>,
  page: Input<typeof ReadRoute>,
): Promise<Output<typeof ReadRoute>> {
  const [account, { items, hasMore }] = await Promise.all([
    deps.table.get(AiAccount, { accountId }),
    deps.table.list(AiEntry, aiEntriesOf(accountId), page),
  ]);
  const { balanceMicroRand = 0, availableMicroRand = 0, debtMicroRand = 0 } = account ?? {};
  const amounts = viewCredits(balanceMicroRand, Math.max(0, availableMicroRand), debtMicroRand);
  return { data: { ...amounts, entries: items.map(viewEntry), has_more: hasMore } };
}

/** Interval between two checks of an account's ledger, in milliseconds. */
const CHECK_INTERVAL_MS = 60 * 60_000;
/** Entries younger than this are summed again on each check, because older ones may still be written, in milliseconds. */
const SETTLED_AFTER_MS = 10 * 60_000;
export interface Mismatch {
  accountId: string;
  balanceMicroRand: number;
  ledgerMicroRand: number;
}

/** Due queue of the accounts whose AI balance must be compared with the sum of their ledger. */
export const ledgerQueue: DueQueue<typeof AiAudit, Deps, LedgerCheck> = {
  queue: 'AI_AUDIT',
  entity: AiAudit,
  act: checkLedger,
};

/** Result of one comparison; `busy` if it must be repeated. */
export type LedgerCheck = 'right' | 'busy' | Mismatch;

/**
 * Compares the balance with the ledger: the sum of all entries up to the last closed window, plus the part of later windows that
 * the balance includes. This is exact while calls are running, because the account is read once and closed windows get no more entries.
 */
async function checkLedger(deps: Deps, audit: AiAudit): Promise<LedgerCheck> {
  const { accountId } = audit;
  const account = await deps.table.get(AiAccount, { accountId });
  const { balanceMicroRand = 0, closedWindow } = account ?? {};
  const { closed, settled, isChanging } = await sumLedger(deps, audit, closedWindow);
  const later = windowsOf(account ?? {}).filter(({ window }) => window > (closedWindow ?? 0));
  const ledgerMicroRand = closed + later.reduce((sum, { ledger }) => sum + ledger, 0);
  if (ledgerMicroRand === balanceMicroRand) {
    await reschedule(deps, accountId, settled);
    return 'right';
  }
  await reschedule(deps, accountId, audit);
  return isChanging ? 'busy' : { accountId, balanceMicroRand, ledgerMicroRand };
}

/**
 * Sums the ledger's entries.
 * @returns `closed`, the sum of the entries of closed windows and of the entries without a window; `settled`, its settled part, from which
 * the next check continues; and `isChanging`, true if a function of an earlier version has recently written entries without a window
 */
async function sumLedger(deps: Deps, audit: AiAudit, closedWindow?: number) {
  const settledBefore = Math.min(deps.now().getTime() - SETTLED_AFTER_MS, startOf(closedWindow ?? Infinity));
  const settledUntil = new Date(settledBefore).toISOString();
  let settled = { upTo: audit.upTo, sumMicroRand: audit.sumMicroRand };
  let closed = audit.sumMicroRand;
  let isChanging = false;
  let hasLater = false;
  for await (const entry of deps.table.each(AiEntry, aiEntriesOf(audit.accountId), audit.upTo)) {
    const { id, window, createdAt, amountMicroRand } = entry;
    hasLater ||= window !== undefined && window > (closedWindow ?? 0);
    if (window !== undefined && window > (closedWindow ?? 0)) continue;
    closed += amountMicroRand;
    if (createdAt < settledUntil && !hasLater) settled = { upTo: id, sumMicroRand: closed };
    else if (window === undefined) isChanging = true;
  }
  return { closed, settled, isChanging };
}

async function reschedule(deps: Deps, accountId: string, settled: Pick<AiAudit, 'upTo' | 'sumMicroRand'>) {
  const { upTo, sumMicroRand } = settled;
  const next = schedule(AiAudit, timestampAfter(deps.now(), CHECK_INTERVAL_MS));
  await deps.table.write(AiAudit, change(AiAudit, { accountId }, { set: { upTo, sumMicroRand, ...next } }));
}
