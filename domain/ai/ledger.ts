import type { getAiCredits as ReadRoute } from '../../contract/ai/management.ts';
import type { Input, Output } from '../../contract/route.ts';
import { AiAccount, AiAudit, AiEntry } from '../../table/entities/ai.ts';
import { joinKey } from '../../table/keys.ts';
import { schedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import type { Caller, Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { debtToRand, microRandToRand } from './prices.ts';

const entriesOf = (accountId: string) => joinKey('ACCOUNT', accountId, 'AI_ENTRIES');

/** Returns an entry as its account sees it. */
export function viewEntry(entry: AiEntry): Output<typeof ReadRoute>['data']['entries'][number] {
  const { id, requestId, type, model, inputTokens, cachedTokens, cacheWriteTokens, outputTokens } = entry;
  const { amountMicroRand, createdAt } = entry;
  return {
    ...{ id, requestId, type, model, inputTokens, cachedTokens, cacheWriteTokens, outputTokens },
    ...{ amountMicroRand, createdAt },
  };
}

/** Amounts of micro-rand as an account sees them: what is there rounded down, what is owed rounded up. */
export const viewCredits = (balanceMicroRand: number, availableMicroRand: number, debtMicroRand: number) => ({
  ...{ balance: microRandToRand(balanceMicroRand), balanceMicroRand },
  ...{ available: microRandToRand(availableMicroRand), availableMicroRand },
  ...{ debt: debtToRand(debtMicroRand), debtMicroRand },
});

/** GET /dashboard/v1/ai/credits: the balance, and a page of the ledger, newest first. */
export async function readCredits(
  deps: Deps,
  { accountId }: Pick<Caller, 'accountId'>,
  page: Input<typeof ReadRoute>,
): Promise<Output<typeof ReadRoute>> {
  const [account, { items, hasMore }] = await Promise.all([
    deps.table.get(AiAccount, { accountId }),
    deps.table.list(AiEntry, entriesOf(accountId), page),
  ]);
  const { balanceMicroRand = 0, availableMicroRand = 0, debtMicroRand = 0 } = account ?? {};
  const amounts = viewCredits(balanceMicroRand, Math.max(0, availableMicroRand), debtMicroRand);
  return { data: { ...amounts, entries: items.map(viewEntry), has_more: hasMore } };
}

/** Interval between two checks of an account's ledger, in milliseconds. */
const CHECK_INTERVAL_MS = 60 * 60_000;
/** Entries younger than this are summed again on each check, because their index lags a little, in milliseconds. */
const SETTLED_AFTER_MS = 10 * 60_000;
/** A busy account is looked at so often until its balance stands still for the length of a look. */
const MAX_READS = 5;
/** Between looks, in milliseconds. */
const PAUSE_MS = 200;
const pause = () => new Promise((done) => setTimeout(done, PAUSE_MS));

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

/** Result of one comparison. */
export type LedgerCheck = 'right' | 'busy' | Mismatch;

async function checkLedger(deps: Deps, audit: AiAudit): Promise<LedgerCheck> {
  const { accountId } = audit;
  let mismatch: Mismatch | undefined;
  for (let look = 1; look <= MAX_READS; look += 1) {
    if (look > 1) await pause();
    const before = await deps.table.get(AiAccount, { accountId });
    const sum = await sumLedger(deps, audit);
    const after = await deps.table.get(AiAccount, { accountId });
    mismatch = undefined;
    if (!after || before?.balanceMicroRand !== after.balanceMicroRand) continue;
    await scheduleCheck(deps, accountId, sum.settled);
    if (sum.total === after.balanceMicroRand) return 'right';
    mismatch = { accountId, balanceMicroRand: after.balanceMicroRand, ledgerMicroRand: sum.total };
  }
  if (!mismatch) await scheduleCheck(deps, accountId, audit);
  return mismatch ?? 'busy';
}

/** The whole ledger's sum; and that of its settled part, from which the next check goes on. */
async function sumLedger(deps: Deps, audit: AiAudit) {
  const settledUntil = new Date(deps.now().getTime() - SETTLED_AFTER_MS).toISOString();
  const settled = { upTo: audit.upTo, sumMicroRand: audit.sumMicroRand };
  let total = audit.sumMicroRand;
  for await (const entry of deps.table.each(AiEntry, entriesOf(audit.accountId), audit.upTo)) {
    total += entry.amountMicroRand;
    if (entry.createdAt < settledUntil) Object.assign(settled, { upTo: entry.id, sumMicroRand: total });
  }
  return { total, settled };
}

async function scheduleCheck(deps: Deps, accountId: string, settled: Pick<AiAudit, 'upTo' | 'sumMicroRand'>) {
  const { upTo, sumMicroRand } = settled;
  const next = schedule(AiAudit, new Date(deps.now().getTime() + CHECK_INTERVAL_MS));
  await deps.table.write(AiAudit, change(AiAudit, { accountId }, { set: { upTo, sumMicroRand, ...next } }));
}
