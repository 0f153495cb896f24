import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { fromItem, type Item } from '../table/attributes.ts';
import { withRequestId } from '../table/correlation.ts';
import type { Rule, Rules } from './on.ts';
import { matches } from './trigger.ts';

/** The number of changes that one rule processes concurrently. */
const CONCURRENCY = 8;

/** A change that at least one rule matches. */
export interface MatchedChange {
  /** The id of the stream record. */
  id: string;
  /** The request that caused the change. */
  requestId: string | undefined;
  rules: readonly Rule[];
  /** Runs the action of a rule. Rejects if the item does not parse. */
  act(rule: Rule): Promise<unknown>;
}

/** Returns a function that parses an image on first use, once for all rules. */
function parsedOnce(image: Item | undefined): (entity: Rule['entity']) => unknown {
  let parsed: { item: unknown } | undefined;
  return (entity) => {
    parsed ??= { item: image && entity.parse(fromItem(image)) };
    return parsed.item;
  };
}

function matchedChange(
  id: string,
  rules: readonly Rule[],
  after: Item | undefined,
  before: Item | undefined,
): MatchedChange {
  const parseAfter = parsedOnce(after);
  const parseBefore = parsedOnce(before);
  const origin = (after ?? before)?.requestId;
  const requestId = origin && 'S' in origin ? origin.S : undefined;
  return {
    id,
    requestId,
    rules,
    // Asynchronous, because a failed parse must reject instead of throwing.
    act: ({ entity, act }) =>
      withRequestId(requestId, async () => {
        const change = {
          id,
          get before() {
            return parseBefore(entity);
          },
        };
        return await act(after ? parseAfter(entity) : change.before, change);
      }),
  };
}

/**
 * Returns a function that selects the changes in stream records that rules match. A record that no rule matches is neither decoded
 * nor parsed.
 */
export function selectChanges(rules: Rules): (records: readonly DynamoDBRecord[]) => MatchedChange[] {
  const byEntity = Map.groupBy(Object.values(rules), ({ entity }) => entity.type);
  return (records) =>
    records.flatMap(({ eventID: id = '', eventName, dynamodb }) => {
      const after = dynamodb?.NewImage as Item | undefined;
      const before = dynamodb?.OldImage as Item | undefined;
      const entity = (after ?? before)?.entity;
      const type = entity && 'S' in entity ? entity.S : '';
      const matching = (byEntity.get(type) ?? []).filter((rule) => matches(rule.trigger, { eventName, after, before }));
      return matching.length === 0 ? [] : [matchedChange(id, matching, after, before)];
    });
}

/** Acts on the parts of a batch by request, so that the effects carry the request's id. */
const actByRequest = (
  batch: readonly { requestId: string | undefined; part: unknown }[],
  act: (parts: readonly unknown[]) => Promise<unknown>,
) =>
  Promise.all(
    [...Map.groupBy(batch, ({ requestId }) => requestId)].map(([requestId, parts]) =>
      withRequestId(requestId, () => act(parts.map(({ part }) => part))),
    ),
  );

/** Acts on each item, on {@link CONCURRENCY} of them concurrently, and returns the errors of the failed ones. */
async function actOnEach<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<unknown[]> {
  const errors: unknown[] = [];
  const pending = items.values();
  const worker = async () => {
    for (const item of pending) await act(item).catch((error: unknown) => errors.push(error));
  };
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, items.length) }, worker));
  return errors;
}

/** Applies a rule to the changes that it matches, and returns the errors of failed actions. */
async function apply(rule: Rule, changes: readonly MatchedChange[]): Promise<unknown[]> {
  const { groups } = rule;
  if (!groups) return await actOnEach(changes, (change) => change.act(rule));
  const parts = new Map<MatchedChange, readonly unknown[]>();
  const errors = await actOnEach(changes, async (change) =>
    parts.set(change, (await change.act(rule)) as readonly unknown[]),
  );
  const all = changes.flatMap((change) =>
    (parts.get(change) ?? []).map((part) => ({ requestId: change.requestId, part })),
  );
  const batches = Array.from({ length: Math.ceil(all.length / groups.size) }, (_, at) =>
    all.slice(at * groups.size, (at + 1) * groups.size),
  );
  return [...errors, ...(await actOnEach(batches, (batch) => actByRequest(batch, groups.act)))];
}

const textOf = (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));

/**
 * Returns the Lambda handler that applies rules to the table's stream. If an action fails, it rejects after all others have run:
 * Lambda retries the batch, bisects it, and finally sends it to the on-failure queue.
 */
export function consume(rules: Rules): (event: Pick<DynamoDBStreamEvent, 'Records'>) => Promise<void> {
  const select = selectChanges(rules);
  return async ({ Records }) => {
    const changes = select(Records);
    const failures = await Promise.all(
      Object.entries(rules).map(async ([id, rule]) => {
        const errors = await apply(
          rule,
          changes.filter((change) => change.rules.includes(rule)),
        );
        return errors.map((error) => ({ error, message: `${id}: ${textOf(error)}` }));
      }),
    );
    const [first, ...others] = failures.flat();
    if (!first) return;
    const messages = [first, ...others].map(({ message }) => message);
    const { stack } = first.error instanceof Error ? first.error : {};
    throw new Error(`${messages.length} of the batch failed: ${messages.join('; ')}`, { cause: stack });
  };
}
