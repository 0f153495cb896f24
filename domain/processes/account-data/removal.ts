import { RECORD_YEARS } from '../../../contract/accounts/deletion.ts';
import { fromItem } from '../../../table/attributes.ts';
import type { AccountDeletion } from '../../../table/entities/account-data.ts';
import { Account } from '../../../table/entities/accounts.ts';
import { AiAccount, AiCall, AiUsage } from '../../../table/entities/ai.ts';
import { Delivery, Webhook } from '../../../table/entities/webhooks.ts';
import { DAY } from '../../../table/entity.ts';
import { joinKey } from '../../../table/keys.ts';
import type { ItemKey, Table } from '../../../table/table.ts';
import { change, changeByKey, removeByKey, type Write } from '../../../table/writes.ts';
import { concurrentUpdate } from '../../conflict.ts';
import type { Deps } from '../../deps.ts';
import type { Budget } from '../../sweep/budget.ts';
import { ALL_CONTENTS } from './all-contents.ts';
import type { Contents } from './contents.ts';
import type { Positioned } from './readers.ts';

/**
 * The removal of what an account has in the table, in slices: a run ends when its budget is spent, and the next continues where it
 * ended. Every step may be repeated.
 */
type RemovalDeps = Pick<Deps, 'table' | 'now'>;

/** Items of one transaction. */
const BATCH_SIZE = 50;

/** Returns the Unix time until which records are kept. */
export const recordsEnd = (now: Date): number => Math.floor(now.getTime() / 1000) + (RECORD_YEARS * 365 + 2) * DAY;

/** Reads the account's own partition, whatever is in it. */
export async function* storedIn(table: Table, accountId: string, afterSk?: string) {
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

/** Writes in batches until the budget is spent. @returns the position of the last write; undefined where all are done */
async function inBatches(
  deps: RemovalDeps,
  budget: Budget,
  found: AsyncIterable<Positioned<Write[]>>,
): Promise<string | undefined> {
  const batch: Write[] = [];
  for await (const [position, writes] of found) {
    batch.push(...writes);
    while (batch.length >= BATCH_SIZE) await deps.table.transact(batch.splice(0, BATCH_SIZE));
    if (!budget.isSpent()) continue;
    await deps.table.transact(batch);
    return position;
  }
  await deps.table.transact(batch);
  return undefined;
}

async function* mapped<T, U>(items: AsyncIterable<Positioned<T[]>>, make: (item: T) => U) {
  for await (const [position, each] of items)
    yield [position, each.map((item) => make(item))] satisfies Positioned<U[]>;
}

/** A step of the removal: begins, or continues after a position. @returns the position that it reached; undefined once it is done */
interface Step {
  name: string;
  run(deps: RemovalDeps, accountId: string, budget: Budget, after?: string): Promise<string | undefined>;
}

/** Contents that are removed before the end, lists after what is found through them. The AI credits are removed when the refund is recorded. */
const REMOVED = ALL_CONTENTS.filter(
  ({ type, atDeletion }) => atDeletion === 'removed' && type !== AiAccount.type,
).toReversed();
/** Types of which nothing stays in the account's own partition once their lists are gone. */
const REMOVED_TYPES = new Set(REMOVED.map(({ type }) => type));
/** Types of which an account may have any number, with the lists that they are found through. */
const LARGE_TYPES = new Set<string>([Webhook.type, Delivery.type, AiCall.type, AiUsage.type]);

const removing = ({ type, keys }: Contents): Step => ({
  name: type,
  run: (deps, accountId, budget, after) =>
    inBatches(deps, budget, mapped(keys(deps.table, accountId, after), removeByKey)),
});

/** Has the table delete what the law keeps when it may. */
const keeping = ({ type, keys }: Contents): Step => ({
  name: type,
  run(deps, accountId, budget, after) {
    const set = { expiresAtEpoch: recordsEnd(deps.now()) };
    const keep = (key: ItemKey) => changeByKey(key, { set }, concurrentUpdate);
    return inBatches(deps, budget, mapped(keys(deps.table, accountId, after), keep));
  },
});

const removingStored: Step = {
  name: 'STORED',
  run(deps, accountId, budget, after) {
    const found = async function* () {
      for await (const item of storedIn(deps.table, accountId, after))
        yield [item.sk, REMOVED_TYPES.has(item.entity) ? [removeByKey(item)] : []] satisfies Positioned<Write[]>;
    };
    return inBatches(deps, budget, found());
  },
};

const anonymising: Step = {
  name: Account.type,
  async run(deps, accountId) {
    await deps.table.transact([change(Account, { id: accountId }, anonymous(deps, accountId))]);
    return undefined;
  },
};

/** All steps, in order: first those that end soon and that forget who the account was, then what there may be any number of. */
const STEPS: readonly Step[] = [
  ...REMOVED.filter(({ type }) => !LARGE_TYPES.has(type)).map(removing),
  removingStored,
  anonymising,
  ...REMOVED.filter(({ type }) => LARGE_TYPES.has(type)).map(removing),
  ...ALL_CONTENTS.filter(({ type, atDeletion }) => atDeletion === 'tax' && type !== Account.type).map(keeping),
];

/** Removes what nothing else takes down until the budget is spent. @returns where to go on; undefined once nothing is left */
export async function removeRest(
  deps: RemovalDeps,
  { accountId, removal }: AccountDeletion,
  budget: Budget,
): Promise<AccountDeletion['removal']> {
  // A step of another version is not found: all begins again, and finds less.
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

/** Returns the change of an account by which nothing tells whose it was. */
export const anonymous = ({ now }: RemovalDeps, accountId: string) => ({
  set: {
    email: `${accountId}@deleted.invalid`,
    name: 'Deleted account',
    logins: [],
    expiresAtEpoch: recordsEnd(now()),
  },
  remove: ['card', 'autoTopUp', 'autoTopUpHistory', 'newCardHolds', 'exportId'],
});
