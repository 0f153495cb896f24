import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda';
// Single modules, not the package's index: the index loads a client for every AWS service.
import { type Flow, initialize, initializeFrom, type Options, type Pipeline } from 'aws-lambda-stream/pipelines/index';
import { faulty, faultyAsyncStream } from 'aws-lambda-stream/utils/faults';
import { toPromise } from 'aws-lambda-stream/utils/handler';
import stream from 'highland';
import { fromItem, type Item } from '../table/attributes.ts';
import { withRequestId } from '../table/correlation.ts';
import type { Rule, Rules } from './on.ts';
import { wants } from './trigger.ts';

/** Changes that one rule works on at once. */
const PARALLEL = 8;

/** A change that at least one rule wants: one unit of work in the library's terms. */
export interface Work {
  event: { id: string; type: string };
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

function workOf(event: Work['event'], rules: readonly Rule[], after: Item | undefined, before: Item | undefined): Work {
  const parseAfter = parsedOnce(after);
  const parseBefore = parsedOnce(before);
  const origin = (after ?? before)?.requestId;
  const requestId = origin && 'S' in origin ? origin.S : undefined;
  return {
    event,
    requestId,
    rules,
    // Async: a failed parse must reject, not throw.
    act: ({ entity, act }) =>
      withRequestId(requestId, async () => {
        const change = {
          id: event.id,
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
      return wanting.length === 0 ? [] : [workOf({ id, type: `${type} ${eventName}` }, wanting, after, before)];
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

interface Failed extends Work {
  error: unknown;
}

/**
 * Acts on changes, {@link PARALLEL} at once, and returns those that failed. As one unit of work, because a flow of the library for
 * each change costs several times what most actions do.
 */
async function actOnEach(works: readonly Work[], rule: Rule): Promise<Failed[]> {
  const failed: Failed[] = [];
  const left = works.values();
  const worker = async () => {
    for (const work of left) {
      await work.act(rule).catch((error: unknown) => failed.push({ ...work, error }));
    }
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, works.length) }, worker));
  return failed;
}

const raise = faulty(({ error }: Failed) => {
  throw error;
});

/** Returns the pipeline of one rule. The library cannot make several units of work of one, so groups are our own flavor. */
function pipelineOf([id, rule]: [id: string, rule: Rule]): Pipeline<Work> {
  const { groups } = rule;
  const flavor = () => (all: Flow<Work>) => {
    const works = all.filter(({ rules }) => rules.includes(rule));
    if (!groups) {
      const acting = faultyAsyncStream((collected: readonly Work[]) => actOnEach(collected, rule));
      return works.collect().map(acting).parallel(1).flatten().map(raise);
    }
    const parts = faultyAsyncStream(async (work: Work) => {
      const made = (await work.act(rule)) as readonly unknown[];
      return made.map((part) => ({ ...work, part }));
    });
    return works
      .map(parts)
      .parallel(PARALLEL)
      .flatten()
      .batch(groups.size)
      .map((batch) => ({ pipeline: id, batch }))
      .map(faultyAsyncStream(async ({ batch }) => await actByRequest(batch, groups.act)))
      .parallel(PARALLEL);
  };
  return { id, flavor };
}

/**
 * Fails the batch where a rule failed, so that it is retried, halved, and in the end kept by the on-failure queue. The
 * library alone would report each failure as an event and the batch as a success, and the stream would move on without the
 * change. All failures are collected first: the library's list outlives the invocation.
 */
const publish: Options['publish'] = () => (faults) =>
  faults.collect().map((all) => {
    if (all.length === 0) return all;
    const messages = all.map(({ event: { err, tags } }) => `${tags.pipeline}: ${err.name}: ${err.message}`);
    throw new Error(`${all.length} of the batch failed: ${messages.join('; ')}`, { cause: all[0]?.event.err.stack });
  });

/** Returns the Lambda handler that applies rules to the table's stream. Rejects if any action failed, after the others ran. */
export function consume(rules: Rules): (event: Pick<DynamoDBStreamEvent, 'Records'>) => Promise<void> {
  const select = selectWork(rules);
  return async ({ Records }) => {
    const works = select(Records);
    if (works.length === 0) return;
    // Every change passes every pipeline, which costs CPU: set up only those of rules that have work.
    const busy = new Set(works.flatMap((work) => work.rules));
    const pipelines = Object.entries(rules)
      .filter(([, rule]) => busy.has(rule))
      .map(pipelineOf);
    // Initialize in each invocation: the library keeps only the pipelines that it was given last.
    const { assemble } = initialize(initializeFrom(pipelines), { publish });
    await toPromise(assemble(stream(works)));
  };
}
