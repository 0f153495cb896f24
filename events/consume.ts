// Its parts, not its index: that one brings a client for every AWS service.
import { filterOnContent, filterOnEventType } from 'aws-lambda-stream/filters/event';
import { fromDynamodb } from 'aws-lambda-stream/from/dynamodb';
import {
  type BaseRule,
  type Flow,
  initialize,
  initializeFrom,
  type Options,
  type UnitOfWork,
} from 'aws-lambda-stream/pipelines/index';
import { faultyAsyncStream } from 'aws-lambda-stream/utils/faults';
import { toPromise } from 'aws-lambda-stream/utils/handler';

/** What must follow a change of the table: which changes, and what is done about each. As data, so that it can be read. */
export interface Rule extends BaseRule {
  act(work: UnitOfWork): Promise<unknown>;
}

/** How many changes one rule works on at once. */
const PARALLEL = 8;

/** The flavor of all rules: what a rule picks it acts on, each change by itself. */
export const follow = (rule: Rule) => (changes: Flow<UnitOfWork>) =>
  changes
    .filter((work) => filterOnEventType(rule, work) && filterOnContent(rule, work))
    .map(faultyAsyncStream((work: UnitOfWork) => rule.act(work)))
    .parallel(PARALLEL);

/** A rule that makes many things of one change; what was made is followed in groups. */
export interface SplitRule<Part> extends BaseRule {
  split(work: UnitOfWork): Promise<Part[]>;
  /** What follows, for at most {@link GROUP} at a time. */
  act(parts: Part[]): Promise<unknown>;
}

const GROUP = 10;

/** The flavor for {@link SplitRule}s. The library has none that makes several units of work out of one. */
export const splitting =
  <Part>(rule: SplitRule<Part>) =>
  (changes: Flow<UnitOfWork>) =>
    changes
      .filter((work) => filterOnEventType(rule, work) && filterOnContent(rule, work))
      .map(faultyAsyncStream(async (work: UnitOfWork) => (await rule.split(work)).map((part) => ({ ...work, part }))))
      .parallel(PARALLEL)
      .flatten()
      .batch(GROUP)
      .map(faultyAsyncStream((works: (UnitOfWork & { part: Part })[]) => rule.act(works.map(({ part }) => part))))
      .parallel(PARALLEL);

/**
 * The library collects failures, reports them as events and calls the batch a success: the stream would move on and what
 * failed would be lost. Here a failure fails the batch, so that it is retried, bisected, and in the end kept by the
 * on-failure queue. All are collected first: the library's list outlives the invocation.
 */
const publish: Options['publish'] = () => (faults) =>
  faults.collect().map((all) => {
    if (all.length === 0) return all;
    const said = all.map(({ event: { err, tags } }) => `${tags.pipeline}: ${err.name}: ${err.message}`);
    throw new Error(`${all.length} of the batch failed: ${said.join('; ')}`, { cause: all[0]?.event.err.stack });
  });

/** A Lambda handler for the table's stream that applies the rules. */
export const consume = (rules: readonly BaseRule[]) => async (event: unknown) => {
  // Anew for each invocation: the library keeps the pipelines it was given last.
  const pipelines = initialize(initializeFrom(rules), { publish });
  await toPromise(pipelines.assemble(fromDynamodb(event, { discriminatorFn: 'entity' })));
};
