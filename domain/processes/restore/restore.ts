import { AccountDeletion } from '../../../table/entities/account-data.ts';
import { Account } from '../../../table/entities/accounts.ts';
import { AiAccount, AiEntry, aiEntriesOf } from '../../../table/entities/ai.ts';
import { App } from '../../../table/entities/apps.ts';
import { WalletTransaction, walletOf } from '../../../table/entities/billing.ts';
import { DistributionTenant } from '../../../table/entities/custom-domains.ts';
import { Database } from '../../../table/entities/databases.ts';
import { Deployment } from '../../../table/entities/deployments.ts';
import { Zone } from '../../../table/entities/dns.ts';
import { HostingAccount } from '../../../table/entities/hosting.ts';
import { PendingJob } from '../../../table/entities/jobs.ts';
import { epoch } from '../../../table/entity.ts';
import { schedule } from '../../../table/schedule.ts';
import type { ItemKey } from '../../../table/table.ts';
import { changeByKey } from '../../../table/writes.ts';
import { NO_ACCOUNT } from '../../audit/record.ts';
import { concurrentUpdate, ignoreConflict } from '../../conflict.ts';
import { isInBuildQueue } from '../../deployments/build-queue.ts';
import type { Deps } from '../../deps.ts';
import { expectJob } from '../../sweep/pending-jobs.ts';
import { BATCH_SIZE, collectProblems, type Problems, type RestoreInput, visitItems } from './visit.ts';

/** Checks and repairs that operators run on a table that was restored to an earlier time (docs/runbook.md#restore). */

/** A ledger that does not match its balance. */
interface LedgerProblem {
  accountId: string;
  problem: string;
}

export interface LedgerReport extends Problems<LedgerProblem> {
  /** Number of accounts whose ledgers were compared with their balances. */
  accounts: number;
  cursor?: ItemKey;
}

/**
 * Compares every wallet and every balance of AI credits with its ledger: no entry is missing, each follows from the previous one, and the last
 * one results in the balance. Changes nothing. An account that pays during the run may be reported by mistake, so repeat the run.
 */
export async function verifyLedgers(deps: Pick<Deps, 'table' | 'now'>, input: RestoreInput): Promise<LedgerReport> {
  let accounts = 0;
  const problems = collectProblems<LedgerProblem>();
  const position = await visitItems(deps, input, async (item) => {
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
    if (serial !== expected) return `the wallet has entry ${serial} instead of ${expected}`;
    if (balanceAfterCents !== after)
      return `entry ${serial} of the wallet has the balance ${balanceAfterCents} instead of ${after}`;
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
  // Earlier versions did not remove the credits of a deleted account from the ledger.
  if ((await table.get(AccountDeletion, { accountId: id }))?.status === 'DELETED') return undefined;
  return `the AI credits are ${balanceMicroRand}, their ledger adds up to ${sum}`;
}

/**
 * Brings the state outside the table in line with a restored table. Zones are synced, and distribution tenants, hosting accounts, unfinished
 * databases and unfinished deployments become due, so that the reconciler checks them. The status of applications is applied again, in a minute.
 * The passwords of databases are revoked. Deliveries and events are already in their due queues. Idempotent.
 */
export async function repairAfterRestore(
  deps: Pick<Deps, 'table' | 'now' | 'commit'>,
  input: RestoreInput,
): Promise<{ repaired: number; cursor?: ItemKey }> {
  let repaired = 0;
  const now = deps.now().toISOString();
  const position = await visitItems(deps, input, async (item, key) => {
    if (item.entity === App.type) {
      const app = App.parse(item);
      // Its teardown is due anyway.
      if (app.status === 'DELETING') return;
      // It may have been suspended or resumed since.
      await deps.table.write(PendingJob, expectJob(deps, App, app, 'app.apply-status', `restored ${now}`));
      repaired += 1;
      return;
    }
    const set = repairOf(item, now);
    if (!set) return;
    const write = changeByKey(key, { set }, concurrentUpdate);
    // On a conflict the item was deleted in the meantime, and needs no repair.
    if (await ignoreConflict(deps.table.updateReturningChanged(write))) repaired += 1;
  });
  await deps.commit([], {}, { action: 'restore.repaired', accountId: NO_ACCOUNT, after: { repaired } });
  return { repaired, ...position };
}

/** Returns the attributes that make the reconciler compare an item with the state outside the table; undefined for other items. */
function repairOf(item: Record<string, unknown>, now: string): Record<string, unknown> | undefined {
  // The sync skips a zone whose version is already synced, so the version is raised.
  if (item.entity === Zone.type) {
    const { version, releasedAt } = Zone.parse(item);
    // A registry may have delegated a released zone in the meantime, so its time without a delegation begins again.
    return { ...schedule(Zone, now), version: version + 1, ...(releasedAt && { undelegatedSince: now }) };
  }
  if (item.entity === Deployment.type) {
    const deployment = Deployment.parse(item);
    // The scheduler starts the deployments in build queues, which are already due.
    return deployment.finishedAt === null && !isInBuildQueue(deployment) ? schedule(Deployment, now) : undefined;
  }
  if (item.entity === Database.type) {
    const { status } = Database.parse(item);
    // The cluster may have a later generation of passwords than the table. The new generation is higher than all earlier ones.
    if (status === 'AVAILABLE') return { ...schedule(Database, now), generation: epoch(now) };
    return status === 'PROVISIONING' ? schedule(Database, now) : undefined;
  }
  // A removed hosting account stays in the table, but its subscription has ended.
  if (item.entity === HostingAccount.type) return item.status === 'REMOVED' ? undefined : schedule(HostingAccount, now);
  return item.entity === DistributionTenant.type ? schedule(DistributionTenant, now) : undefined;
}
