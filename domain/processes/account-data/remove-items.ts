import { RECORD_YEARS } from '../../../contract/accounts/deletion.ts';
import { fromItem } from '../../../table/attributes.ts';
import type { AccountDeletion } from '../../../table/entities/account-data.ts';
import { Account } from '../../../table/entities/accounts.ts';
import { AiAccount, AiCall, AiUsage } from '../../../table/entities/ai.ts';
import { Delivery, Webhook } from '../../../table/entities/webhooks.ts';
import { DAY, epoch } from '../../../table/entity.ts';
import { joinKey } from '../../../table/keys.ts';
import type { ItemKey, Table } from '../../../table/table.ts';
import { change, changeByKey, removeByKey, type Write } from '../../../table/writes.ts';
import { concurrentUpdate } from '../../conflict.ts';
import type { Deps } from '../../deps.ts';
import type { Budget } from '../../sweep/budget.ts';
import { ALL_CONTENTS } from './all-contents.ts';
import type { Contents } from './contents.ts';
import type { Positioned } from './item-readers.ts';

/**
 * Removes an account's items from the table in several runs. A run ends when its budget is spent, and the next one continues from its
 * position. Every step is idempotent.
 */
type RemovalDeps = Pick<Deps, 'table' | 'now'>;

/** Number of writes in one transaction. */
const BATCH_SIZE = 50;

/** Returns the Unix time at which records may be deleted. */
export const retentionEndEpoch = (now: Date): number => epoch(now) + (RECORD_YEARS * 365 + 2) * DAY;

/** Reads the keys and types of all items in the account's own partition. */
export async function* readAccountPartition(table: Table, accountId: string, afterSk?: string) {
  const partition = joinKey('ACCOUNT', accountId);
  let after = afterSk === undefined ? undefined : { pk: partition, sk: afterSk };
  do {
    const page = await table.partition(partition, { limit: 200, after });
    for (const item of page.items) {
      const { pk, sk, entity } = fromItem(item);
      yield { pk: String(pk), sk: String(sk), entity: String(entity) };
    }
    after = page.next;
  } while (after);
}

/** Writes in batches until the budget is spent. @returns the position of the last write; undefined if all are done */
async function writeInBatches(
  deps: RemovalDeps,
  budget: Budget,
  positionedWrites: AsyncIterable<Positioned<Write[]>>,
): Promise<string | undefined> {
  const batch: Write[] = [];
  for await (const [position, writes] of positionedWrites) {
    batch.push(...writes);
    while (batch.length >= BATCH_SIZE) await deps.table.transact(batch.splice(0, BATCH_SIZE));
    if (!budget.isSpent()) continue;
    await deps.table.transact(batch);
    return position;
  }
  await deps.table.transact(batch);
  return undefined;
}

/** Returns a write for each of the keys. */
async function* toWrites(positionedKeys: AsyncIterable<Positioned<ItemKey[]>>, toWrite: (key: ItemKey) => Write) {
  for await (const [position, keys] of positionedKeys)
    yield [position, keys.map((key) => toWrite(key))] satisfies Positioned<Write[]>;
}

interface Step {
  name: string;
  /** Starts the step, or continues it after a position. @returns the last position; undefined once the step is done */
  run(deps: RemovalDeps, accountId: string, budget: Budget, after?: string): Promise<string | undefined>;
}

/**
 * The contents that the steps remove. An entity comes after the entities that are found through it. The AI account is removed later, when the
 * refund is recorded.
 */
const REMOVED = ALL_CONTENTS.filter(
  ({ type, atDeletion }) => atDeletion === 'removed' && type !== AiAccount.type,
).toReversed();
/** Types of which all items are removed from the account's own partition, including the ones that no reader returns. */
const REMOVED_TYPES = new Set(REMOVED.map(({ type }) => type));
/** Types whose number of items is not limited, and the types through which they are found. */
const LARGE_TYPES = new Set<string>([Webhook.type, Delivery.type, AiCall.type, AiUsage.type]);

/** Returns the step that removes the items of an entity. */
const removalStep = ({ type, readKeys }: Contents): Step => ({
  name: type,
  run: (deps, accountId, budget, after) =>
    writeInBatches(deps, budget, toWrites(readKeys(deps.table, accountId, after), removeByKey)),
});

/** Returns the step that sets the expiry of records that the law requires. */
const retentionStep = ({ type, readKeys }: Contents): Step => ({
  name: type,
  run(deps, accountId, budget, after) {
    const set = { expiresAtEpoch: retentionEndEpoch(deps.now()) };
    const setExpiry = (key: ItemKey) => changeByKey(key, { set }, concurrentUpdate);
    return writeInBatches(deps, budget, toWrites(readKeys(deps.table, accountId, after), setExpiry));
  },
});

/** The step that removes remaining items from the account's own partition. */
const partitionStep: Step = {
  name: 'STORED',
  run(deps, accountId, budget, after) {
    const removals = async function* () {
      for await (const item of readAccountPartition(deps.table, accountId, after))
        yield [item.sk, REMOVED_TYPES.has(item.entity) ? [removeByKey(item)] : []] satisfies Positioned<Write[]>;
    };
    return writeInBatches(deps, budget, removals());
  },
};

const anonymizeStep: Step = {
  name: Account.type,
  async run(deps, accountId) {
    await deps.table.transact([change(Account, { id: accountId }, anonymizingChange(deps, accountId))]);
    return undefined;
  },
};

/** All steps in their order. The short ones and the one that anonymizes the account come before the ones with an unlimited number of items. */
const STEPS: readonly Step[] = [
  ...REMOVED.filter(({ type }) => !LARGE_TYPES.has(type)).map(removalStep),
  partitionStep,
  anonymizeStep,
  ...REMOVED.filter(({ type }) => LARGE_TYPES.has(type)).map(removalStep),
  ...ALL_CONTENTS.filter(({ type, atDeletion }) => atDeletion === 'tax' && type !== Account.type).map(retentionStep),
];

/** Removes the items that no other process removes, until the budget is spent. @returns the position; undefined once all steps are done */
export async function removeItems(
  deps: RemovalDeps,
  { accountId, removal }: AccountDeletion,
  budget: Budget,
): Promise<AccountDeletion['removal']> {
  // If this version does not have the step, the removal starts again. Items that are already removed are not found again.
  const first = Math.max(
    0,
    STEPS.findIndex(({ name }) => name === removal?.step),
  );
  for (const [index, { name, run }] of STEPS.slice(first).entries()) {
    if (index > 0 && budget.isSpent()) return { step: name };
    const after = await run(deps, accountId, budget, name === removal?.step ? removal.after : undefined);
    if (after !== undefined) return { step: name, after };
  }
  return undefined;
}

/** Returns the change that removes an account's personal data from its item. */
export const anonymizingChange = ({ now }: RemovalDeps, accountId: string) => ({
  set: {
    email: `${accountId}@deleted.invalid`,
    name: 'Deleted account',
    logins: [],
    expiresAtEpoch: retentionEndEpoch(now()),
  },
  remove: ['card', 'autoTopUp', 'autoTopUpHistory', 'newCardHolds', 'exportId'],
});
