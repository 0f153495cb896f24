import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
import { fromItem, type Item } from '../table/attributes.ts';
import { withRequestId } from '../table/correlation.ts';
import type { Grouping, Rule, Rules } from './on.ts';
import { matches } from './trigger.ts';

/** The number of changes, or of groups of parts, that one rule or grouping processes concurrently. */
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

/** One of the parts that the action of a rule returned for a change. */
interface Part {
  ruleId: string;
  change: MatchedChange;
  part: unknown;
}

interface Failure {
  error: unknown;
  message: string;
}

const textOf = (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error));
const failureOf = (ruleIds: readonly string[], error: unknown): Failure => ({
  error,
  message: `${ruleIds.join(', ')}: ${textOf(error)}`,
});

/** Applies a rule to the changes that it matches. Returns the parts for its grouping, and the failures. */
async function apply(
  [ruleId, rule]: readonly [string, Rule],
  changes: readonly MatchedChange[],
): Promise<{ parts: Part[]; failures: Failure[] }> {
  const parts: Part[] = [];
  const errors = await actOnEach(
    changes.filter(({ rules }) => rules.includes(rule)),
    async (change) => {
      const result = await change.act(rule);
      if (rule.grouping) parts.push(...(result as readonly unknown[]).map((part) => ({ ruleId, change, part })));
    },
  );
  return { parts, failures: errors.map((error) => failureOf([ruleId], error)) };
}

/** Acts on the parts of a group, separately for each request, so that the effects carry the request's id. */
const actByRequest = (group: readonly Part[], act: Grouping['act']) =>
  Promise.all(
    [...Map.groupBy(group, ({ change }) => change.requestId)].map(([requestId, parts]) =>
      withRequestId(requestId, () => act(parts.map(({ part }) => part))),
    ),
  );

/** Applies one rule, or all rules with the same grouping, and returns the failures. */
async function applyAll(
  rules: readonly (readonly [string, Rule])[],
  changes: readonly MatchedChange[],
): Promise<Failure[]> {
  const applied = await Promise.all(rules.map((rule) => apply(rule, changes)));
  const failures = applied.flatMap((each) => each.failures);
  const grouping = rules[0]?.[1].grouping;
  if (!grouping) return failures;
  const { size, act } = grouping;
  // In the order of the changes, so that the parts of one request are in as few groups as possible.
  const order = new Map(changes.map((change, index) => [change, index]));
  const indexOf = ({ change }: Part) => order.get(change) ?? 0;
  const parts = applied.flatMap((each) => each.parts).sort((a, b) => indexOf(a) - indexOf(b));
  const groups = Array.from({ length: Math.ceil(parts.length / size) }, (_, index) =>
    parts.slice(index * size, (index + 1) * size),
  );
  await actOnEach(groups, async (group) => {
    try {
      await actByRequest(group, act);
    } catch (error) {
      failures.push(failureOf([...new Set(group.map(({ ruleId }) => ruleId))], error));
    }
  });
  return failures;
}

/**
 * Returns the Lambda handler that applies rules to the table's stream. If an action fails, it rejects after all others have run:
 * Lambda retries the batch, bisects it, and finally sends it to the on-failure queue.
 */
export function consume(rules: Rules): (event: Pick<DynamoDBStreamEvent, 'Records'>) => Promise<void> {
  const select = selectChanges(rules);
  const byGrouping = [...Map.groupBy(Object.entries(rules), ([, rule]) => rule.grouping ?? rule).values()];
  return async ({ Records }) => {
    const changes = select(Records);
    const failures = await Promise.all(byGrouping.map((sameGrouping) => applyAll(sameGrouping, changes)));
    const [first, ...others] = failures.flat();
    if (!first) return;
    const messages = [first, ...others].map(({ message }) => message);
    const { stack } = first.error instanceof Error ? first.error : {};
    throw new Error(`${messages.length} of the batch failed: ${messages.join('; ')}`, { cause: stack });
  };
}
