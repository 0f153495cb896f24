import type { getAiCredits as ReadRoute } from '../../contract/ai/management.ts';
import type { Input, Output } from '../../contract/route.ts';
import { AiAccount, AiAudit, AiEntry } from '../../table/entities/ai.ts';
import { joinKey, splitKey } from '../../table/keys.ts';
import { change } from '../../table/writes.ts';
import type { Caller, Deps } from '../deps.ts';
import { randOf } from './prices.ts';

const entriesOf = (accountId: string) => joinKey('ACCOUNT', accountId, 'AI_ENTRIES');

/** An entry as its account sees it. */
export const viewEntry = ({ accountId: _, price, estimated, ...shown }: AiEntry) => shown;

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
  const { balanceMicroRand = 0, availableMicroRand: left = 0 } = account ?? {};
  const availableMicroRand = Math.max(0, left);
  const entries = items.map(viewEntry);
  const [balance, available] = [randOf(balanceMicroRand), randOf(availableMicroRand)];
  return { data: { balance, balanceMicroRand, available, availableMicroRand, entries, has_more: hasMore } };
}

/** How often each account's books are checked, in milliseconds. */
const CHECK_EVERY = 60 * 60_000;
/** Entries younger than this are summed anew each time: the index they are found by is a little behind, in milliseconds. */
const SETTLED = 10 * 60_000;
const BATCH = 50;
/** A busy account is looked at so often until its balance stands still for the length of a look. */
const LOOKS = 5;
/** Between looks, in milliseconds. */
const PAUSE = 200;
const pause = () => new Promise((done) => setTimeout(done, PAUSE));

export interface Mismatch {
  accountId: string;
  balanceMicroRand: number;
  ledgerMicroRand: number;
}

/** Holds the books of every account that is due against its balance: what they add up to must be what is there. */
export async function checkLedgers(deps: Deps): Promise<{ checked: number; busy: number; mismatches: Mismatch[] }> {
  const found = { checked: 0, busy: 0, mismatches: [] as Mismatch[] };
  for (const { pk } of await deps.table.due('AI_AUDIT', deps.now().toISOString(), BATCH)) {
    const [, accountId = ''] = splitKey(pk);
    const judged = await checkLedger(deps, accountId);
    if (judged === 'busy') found.busy += 1;
    else found.checked += 1;
    if (typeof judged === 'object') found.mismatches.push(judged);
  }
  return found;
}

async function checkLedger(deps: Deps, accountId: string): Promise<'right' | 'busy' | Mismatch> {
  const audit = await deps.table.get(AiAudit, { accountId });
  let mismatch: Mismatch | undefined;
  for (let look = 1; audit && look <= LOOKS; look += 1) {
    if (look > 1) await pause();
    const before = await deps.table.get(AiAccount, { accountId });
    const sum = await sumLedger(deps, audit);
    const after = await deps.table.get(AiAccount, { accountId });
    mismatch = undefined;
    if (!after || before?.balanceMicroRand !== after.balanceMicroRand) continue;
    await nextCheck(deps, accountId, sum.settled);
    if (sum.total === after.balanceMicroRand) return 'right';
    mismatch = { accountId, balanceMicroRand: after.balanceMicroRand, ledgerMicroRand: sum.total };
  }
  if (audit && !mismatch) await nextCheck(deps, accountId, audit);
  return mismatch ?? 'busy';
}

/** The whole ledger's sum; and that of its settled part, from which the next check goes on. */
async function sumLedger(deps: Deps, audit: AiAudit) {
  const settledUntil = new Date(deps.now().getTime() - SETTLED).toISOString();
  const settled = { upTo: audit.upTo, sumMicroRand: audit.sumMicroRand };
  let total = audit.sumMicroRand;
  for await (const entry of deps.table.each(AiEntry, entriesOf(audit.accountId), audit.upTo)) {
    total += entry.amountMicroRand;
    if (entry.createdAt < settledUntil) Object.assign(settled, { upTo: entry.id, sumMicroRand: total });
  }
  return { total, settled };
}

async function nextCheck(deps: Deps, accountId: string, settled: Pick<AiAudit, 'upTo' | 'sumMicroRand'>) {
  const checkAt = new Date(deps.now().getTime() + CHECK_EVERY).toISOString();
  const { upTo, sumMicroRand } = settled;
  await deps.table.write(
    AiAudit,
    change(AiAudit, { accountId }, { set: { upTo, sumMicroRand, checkAt, dueAt: checkAt } }),
  );
}
