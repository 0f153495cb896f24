import { AccountDeletion } from '../../../table/entities/account-data.ts';
import { Account } from '../../../table/entities/accounts.ts';
import { AiAccount, AiEntry, aiEntriesOf } from '../../../table/entities/ai.ts';
import { WalletTransaction, walletOf } from '../../../table/entities/billing.ts';
import { DistributionTenant } from '../../../table/entities/custom-domains.ts';
import { Database } from '../../../table/entities/databases.ts';
import { Deployment } from '../../../table/entities/deployments.ts';
import { Zone } from '../../../table/entities/dns.ts';
import { HostingAccount } from '../../../table/entities/hosting.ts';
import { epoch } from '../../../table/entity.ts';
import { schedule } from '../../../table/schedule.ts';
import type { ItemKey } from '../../../table/table.ts';
import { changeByKey } from '../../../table/writes.ts';
import { NO_ACCOUNT } from '../../audit/record.ts';
import { concurrentUpdate, ignoreConflict } from '../../conflict.ts';
import { isInBuildQueue } from '../../deployments/build-queue.ts';
import type { Deps } from '../../deps.ts';
import { BATCH_SIZE, collectProblems, type Problems, type RestoreInput, visit } from './visit.ts';

/** Operators' checks and repairs of a table that was restored to an earlier time (docs/runbook.md#restore). */

/** A ledger that does not add up. */
interface LedgerProblem {
  accountId: string;
  problem: string;
}

export interface LedgerReport extends Problems<LedgerProblem> {
  /** Accounts whose ledgers were compared with their balances. */
  accounts: number;
  cursor?: ItemKey;
}

/**
 * Compares every wallet and every balance of AI credits with its ledger: no entry is missing, each follows from the one before,
 * and the last is the balance. Changes nothing. An account that pays meanwhile may be reported although it is right: repeat it.
 */
export async function verifyLedgers(deps: Pick<Deps, 'table' | 'now'>, input: RestoreInput): Promise<LedgerReport> {
  let accounts = 0;
  const problems = collectProblems<LedgerProblem>();
  const position = await visit(deps, input, async (item) => {
    if (item.entity !== Account.type) return;
    accounts += 1;
    const account = Account.parse(item);
    for (const problem of [await walletProblem(deps, account), await creditProblem(deps, account)])
      if (problem) problems.add({ accountId: account.id, problem });
  });
  return { accounts, ...problems.report(), ...position };
}

async function walletProblem({ table }: Pick<Deps, 'table'>, account: Account): Promise<string | undefined> {
  const { id, walletCents, walletVersion = 0 } = account;
  let expected = walletVersion;
  let after = walletCents;
  for await (const entry of table.newest(WalletTransaction, walletOf(id), { pageSize: BATCH_SIZE })) {
    const { serial, balanceAfterCents, amountCents } = entry;
    if (serial !== expected) return `the wallet has entry ${serial} in place of ${expected}`;
    if (balanceAfterCents !== after)
      return `entry ${serial} of the wallet leaves ${balanceAfterCents} in place of ${after}`;
    expected -= 1;
    after -= amountCents;
  }
  if (expected !== 0) return `the wallet lacks its first ${expected} entries`;
  return after === 0 ? undefined : `the wallet began with ${after}`;
}

async function creditProblem({ table }: Pick<Deps, 'table'>, { id }: Account): Promise<string | undefined> {
  const { balanceMicroRand = 0 } = (await table.get(AiAccount, { accountId: id })) ?? {};
  let sum = 0;
  for await (const { amountMicroRand } of table.each(AiEntry, aiEntriesOf(id))) sum += amountMicroRand;
  if (sum === balanceMicroRand) return undefined;
  // The deletion of an account did not always take its credits out of the ledger.
  if ((await table.get(AccountDeletion, { accountId: id }))?.status === 'DELETED') return undefined;
  return `the AI credits are ${balanceMicroRand}, their ledger adds up to ${sum}`;
}

/**
 * Has everything outside of a restored table follow it again: zones are written to the name servers as the table has them, and
 * edge tenants, hosting accounts, unfinished databases and unfinished deployments are due now, so that the reconciler compares
 * them. The passwords of databases are revoked. Deliveries and events are in their due queues already. May be repeated; it is no part of normal operation.
 */
export async function repairAfterRestore(
  deps: Pick<Deps, 'table' | 'now' | 'commit'>,
  input: RestoreInput,
): Promise<{ repaired: number; cursor?: ItemKey }> {
  let repaired = 0;
  const now = deps.now().toISOString();
  const position = await visit(deps, input, async (item, key) => {
    const set = repairOf(item, now);
    if (!set) return;
    const write = changeByKey(key, { set }, concurrentUpdate);
    // An item that was deleted meanwhile needs no repair.
    if (await ignoreConflict(deps.table.updateReturningChanged(write))) repaired += 1;
  });
  await deps.commit([], {}, { action: 'restore.repaired', accountId: NO_ACCOUNT, after: { repaired } });
  return { repaired, ...position };
}

/** Returns the attributes that have an item compared with the outside; nothing for an item that stands for itself. */
function repairOf(item: Record<string, unknown>, now: string): Record<string, unknown> | undefined {
  // A zone whose last change is written is left alone by the sync, which compares the record sets themselves.
  if (item.entity === Zone.type) {
    const { version, releasedAt } = Zone.parse(item);
    // Resolvers may have been sent to a released one since: its time without a delegation begins again.
    return { ...schedule(Zone, now), version: version + 1, ...(releasedAt && { undelegatedSince: now }) };
  }
  if (item.entity === Deployment.type) {
    const deployment = Deployment.parse(item);
    // What waits in line is started by the scheduler, whose lines are due already.
    return deployment.finishedAt === null && !isInBuildQueue(deployment) ? schedule(Deployment, now) : undefined;
  }
  if (item.entity === Database.type) {
    const { status } = Database.parse(item);
    // Its cluster may have a generation of passwords that the table does not know: it gets one that is above all that there were.
    if (status === 'AVAILABLE') return { ...schedule(Database, now), generation: epoch(now) };
    return status === 'PROVISIONING' ? schedule(Database, now) : undefined;
  }
  // A removed account stays in the table, and its subscription is over for good.
  if (item.entity === HostingAccount.type) return item.status === 'REMOVED' ? undefined : schedule(HostingAccount, now);
  return item.entity === DistributionTenant.type ? schedule(DistributionTenant, now) : undefined;
}
