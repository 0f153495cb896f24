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

/** Amounts of micro-rand as an account sees them: what is there rounded down, what is owed rounded up. */
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

/** Accounts whose ledger of AI credits is to be compared with its balance: what it adds up to must be what is there. */
export const ledgerQueue: DueQueue<typeof AiAudit, Deps, LedgerCheck> = {
  queue: 'AI_AUDIT',
  entity: AiAudit,
  act: checkLedger,
};

/** Result of one comparison; `busy` where it has to be repeated. */
export type LedgerCheck = 'right' | 'busy' | Mismatch;

/**
 * Compares the sum of all entries up to the last closed window, and what the balance has of later ones, with the balance. The
 * account is read once and closed windows get no more entries, so that this is exact while calls are running.
 */
async function checkLedger(deps: Deps, audit: AiAudit): Promise<LedgerCheck> {
  const { accountId } = audit;
  const account = await deps.table.get(AiAccount, { accountId });
  const { balanceMicroRand = 0, closedWindow } = account ?? {};
  const { closed, settled, isChanging } = await sumLedger(deps, audit, closedWindow);
  const later = windowsOf(account ?? {}).filter(({ window }) => window > (closedWindow ?? 0));
  const ledgerMicroRand = closed + later.reduce((sum, { ledger }) => sum + ledger, 0);
  if (ledgerMicroRand === balanceMicroRand) {
    await scheduleCheck(deps, accountId, settled);
    return 'right';
  }
  await scheduleCheck(deps, accountId, audit);
  return isChanging ? 'busy' : { accountId, balanceMicroRand, ledgerMicroRand };
}

/**
 * Returns the sum of the entries of closed windows and of those without one; that of its settled part, from which the next
 * check goes on; and whether there are new entries without a window, which a function of an earlier version made.
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

async function scheduleCheck(deps: Deps, accountId: string, settled: Pick<AiAudit, 'upTo' | 'sumMicroRand'>) {
  const { upTo, sumMicroRand } = settled;
  const next = schedule(AiAudit, timestampAfter(deps.now(), CHECK_INTERVAL_MS));
  await deps.table.write(AiAudit, change(AiAudit, { accountId }, { set: { upTo, sumMicroRand, ...next } }));
}
