import type { DynamoDBRecord } from 'aws-lambda';
import { byId, recordLookups } from '../../domain/operator/lookups.ts';
import { consume } from '../../events/consume.ts';
import { type RuleDeps, rules } from '../../events/rules.ts';
import { fromItem, type Item } from '../../table/attributes.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { toStoredItem } from '../../table/writes.ts';
import { measureAlternately, type Row } from '../measure.ts';

const RECORDS = 100;
const TIMES = 200;
const WARM_UP = 20;

const deployment = (id: number, commitSha: string): Item =>
  toStoredItem(Deployment, {
    id: `dep_${id}`,
    accountId: 'acc_1',
    applicationId: 'app_1',
    trigger: 'API',
    status: 'QUEUED',
    commitSha,
    startedAt: '2026-01-31T09:30:00.000Z',
    finishedAt: null,
    notes: [],
  }) as Item;

const batch = (record: (id: number) => DynamoDBRecord) => ({
  Records: Array.from({ length: RECORDS }, (_, id) => ({ eventID: String(id), ...record(id) })),
});
const created = batch((id) => ({ eventName: 'INSERT', dynamodb: { NewImage: deployment(id, '') as never } }));
const changed = batch((id) => ({
  eventName: 'MODIFY',
  dynamodb: { OldImage: deployment(id, '') as never, NewImage: deployment(id, '0123456') as never },
}));

/**
 * Compares a stream batch that passes through all rules with a loop that does the same work for each change: it parses the item and
 * makes the write of the one matching rule, the operators' lookup of a deployment.
 */
export async function rows(): Promise<Row[]> {
  let written = 0;
  const deps = {
    now: () => new Date(),
    table: {
      putAll: async (items: readonly unknown[]) => {
        written += items.length;
      },
    },
  };
  const handler = consume(rules(deps as unknown as RuleDeps));
  const bare = async () => {
    for (const { dynamodb } of created.Records) {
      const stored = Deployment.parse(fromItem(dynamodb?.NewImage as Item));
      await recordLookups(deps as unknown as RuleDeps, byId('deployment', stored));
    }
  };
  for (const work of [() => handler(created), bare]) {
    written = 0;
    await work();
    if (written !== RECORDS) throw new Error(`${written} writes of ${RECORDS} changes: the work is not the same`);
  }
  for (let count = 0; count < WARM_UP; count += 1) await Promise.all([handler(created), handler(changed), bare()]);
  const wanted = await measureAlternately(TIMES, () => handler(created), bare);
  const unwanted = await measureAlternately(TIMES, () => handler(changed), bare);
  return [
    { name: '100 changes that one rule wants, against the same work in a loop', ...wanted, unit: 'ms', maxRatio: 8 },
    { name: '100 changes that no rule wants, against the same work in a loop', ...unwanted, unit: 'ms', maxRatio: 1 },
  ];
}
