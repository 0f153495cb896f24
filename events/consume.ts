import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { fromItem, type Item } from '../table/attributes.ts';
import { withRequestId } from '../table/correlation.ts';
import type { Rule, Rules } from './on.ts';
import { wants } from './trigger.ts';

/** Changes that one rule works on at once. */
const PARALLEL = 8;

/** A change that at least one rule wants. */
export interface Work {
  /** The id of the stream's record. */
  id: string;
  /** The request that the change belongs to. */
  requestId: string | undefined;
  rules: readonly Rule[];
  /** Runs the action of a rule. Rejects if the item does not parse. */
  act(rule: Rule): Promise<unknown>;
}

/** Parses an image when it is first asked for, once for all rules. */
function parsedOnce(image: Item | undefined): (entity: Rule['entity']) => unknown {
  let parsed: { item: unknown } | undefined;
  return (entity) => {
    parsed ??= { item: image && entity.parse(fromItem(image)) };
    return parsed.item;
  };
}

function workOf(id: string, rules: readonly Rule[], after: Item | undefined, before: Item | undefined): Work {
  const parseAfter = parsedOnce(after);
  const parseBefore = parsedOnce(before);
  const origin = (after ?? before)?.requestId;
  const requestId = origin && 'S' in origin ? origin.S : undefined;
  return {
    id,
    requestId,
    rules,
    // Async: a failed parse must reject, not throw.
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
 * Returns a function that finds the changes in a stream's records that rules want. A record that no rule wants is neither
 * decoded nor parsed.
 */
export function selectWork(rules: Rules): (records: readonly DynamoDBRecord[]) => Work[] {
  const byEntity = Map.groupBy(Object.values(rules), ({ entity }) => entity.type);
  return (records) =>
    records.flatMap(({ eventID: id = '', eventName, dynamodb }) => {
      const after = dynamodb?.NewImage as Item | undefined;
      const before = dynamodb?.OldImage as Item | undefined;
      const entity = (after ?? before)?.entity;
      const type = entity && 'S' in entity ? entity.S : '';
      const wanting = (byEntity.get(type) ?? []).filter((rule) => wants(rule.trigger, { eventName, after, before }));
      return wanting.length === 0 ? [] : [workOf(id, wanting, after, before)];
    });
}

/** Acts on the parts of a batch, those of each request together, so that what follows has its id. */
const actByRequest = (
  batch: readonly { requestId: string | undefined; part: unknown }[],
  act: (parts: readonly unknown[]) => Promise<unknown>,
) =>
  Promise.all(
    [...Map.groupBy(batch, ({ requestId }) => requestId)].map(([requestId, parts]) =>
      withRequestId(requestId, () => act(parts.map(({ part }) => part))),
    ),
  );

/** Acts on each item, {@link PARALLEL} at once, and returns the errors of those that failed. */
async function actOnEach<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<unknown[]> {
  const errors: unknown[] = [];
  const left = items.values();
  const worker = async () => {
    for (const item of left) await act(item).catch((error: unknown) => errors.push(error));
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, items.length) }, worker));
  return errors;
}

/** Applies a rule to the changes that it wants and returns the errors of what failed. */
async function apply(rule: Rule, works: readonly Work[]): Promise<unknown[]> {
  const { groups } = rule;
  if (!groups) return await actOnEach(works, (work) => work.act(rule));
  const parts = new Map<Work, readonly unknown[]>();
  const errors = await actOnEach(works, async (work) => parts.set(work, (await work.act(rule)) as readonly unknown[]));
  const all = works.flatMap((work) => (parts.get(work) ?? []).map((part) => ({ requestId: work.requestId, part })));
  const batches = Array.from({ length: Math.ceil(all.length / groups.size) }, (_, at) =>
    all.slice(at * groups.size, (at + 1) * groups.size),
  );
  return [...errors, ...(await actOnEach(batches, (batch) => actByRequest(batch, groups.act)))];
}

const textOf = (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));

/**
 * Returns the Lambda handler that applies rules to the table's stream. Rejects if any action failed, after the others ran: the
 * batch is retried, halved, and in the end kept by the on-failure queue.
 */
export function consume(rules: Rules): (event: Pick<DynamoDBStreamEvent, 'Records'>) => Promise<void> {
  const select = selectWork(rules);
  return async ({ Records }) => {
    const works = select(Records);
    const failures = await Promise.all(
      Object.entries(rules).map(async ([id, rule]) => {
        const errors = await apply(
          rule,
          works.filter((work) => work.rules.includes(rule)),
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
