import * as z from 'zod/mini';
import { describe, list, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';
import { OPERATOR_TAG } from './accounts.ts';
import { Reason } from './acts.ts';

interface FailureRule {
  label: string;
  /** The meaning of its items, and the reason why they are harmless. */
  means: string;
  /** The effect of a replay. */
  replay: string;
}

/** Everything in which failed work waits for operators (docs/runbook.md#failure-queue). */
export const FAILURES = {
  deliveries: {
    label: 'Webhook deliveries',
    means: 'An attempt failed ten times on our side. One that is no longer due has no effect.',
    replay: 'Sends the attempts to the queue of deliveries again.',
  },
  dns: {
    label: 'DNS changes',
    means: 'The name servers refused the records of a domain ten times.',
    replay: 'Syncs the zones again.',
  },
  routes: {
    label: 'Routes of applications',
    means:
      'The edge refused ten times to change where a host name leads, or an application could not be opened or closed.',
    replay: 'Applies the applications as they are now.',
  },
  payments: {
    label: 'Card payments',
    means: 'A charge failed ten times on our side. The schedule asks the processor about each open payment.',
    replay: 'Requests the payments that are still open.',
  },
  workflows: {
    label: 'Workflows',
    means: 'An execution or a build could not be started or stopped ten times. The reconciler starts what is missing.',
    replay: 'Starts and stops what the items ask for now.',
  },
  mails: {
    label: 'Emails',
    means: 'SES refused an email ten times. What it tells is in the dashboard too.',
    replay: 'Sends what was not sent, to those who still want it.',
  },
  quarantine: {
    label: 'Quarantined items',
    means: 'An item failed ten times in a row and left its due queue. A discarded subscription is never invoiced.',
    replay: 'Returns the items to their due queues, due now.',
  },
  stream: {
    label: 'Changes of the table',
    means:
      'A rule failed for a change until the stream moved on. The stream has the change for 24 hours; what it loses stays here.',
    replay: 'Has the rules run for the changes again.',
  },
  schedules: {
    label: 'Scheduled jobs',
    means: 'A run failed, and the next minute ran again: only a series matters.',
    replay: 'Runs each of the jobs again, once.',
  },
} as const satisfies Record<string, FailureRule>;

export type FailureName = keyof typeof FAILURES;
export const FAILURE_NAMES = Object.keys(FAILURES) as FailureName[];

/** Returns the rule of a kind of failure. */
export const failureRule = (name: FailureName): FailureRule => FAILURES[name];

/** Failed work of one kind. */
const FailureQueue = resource('FailureQueue', () =>
  z.object({
    name: z.enum(FAILURE_NAMES),
    label: z.string(),
    means: z.string(),
    replay: z.string(),
    count: describe(
      z.nullable(z.int()),
      'Approximate; of quarantined items 500 at most; null while the queue cannot be read',
    ),
  }),
);

/** One item of failed work, in words. */
const FailedWork = resource('FailedWork', () =>
  z.object({
    id: z.string(),
    description: z.string(),
    accountId: z.nullable(z.string()),
    error: z.nullable(z.string()),
    since: z.nullable(Timestamp()),
  }),
);

const access = 'operator';
const tag = OPERATOR_TAG;
const Name = () => z.object({ name: z.enum(FAILURE_NAMES) });

export const listFailures = /* @__PURE__ */ route({
  id: 'listFailures',
  method: 'GET',
  path: '/operator/v1/failures',
  access,
  summary: 'List the failure queues, with what waits in each',
  tag,
  uses: ['failures'],
  response: () => list(FailureQueue()),
});

export const readFailures = /* @__PURE__ */ route({
  id: 'readFailures',
  method: 'GET',
  path: '/operator/v1/failures/{name}',
  access,
  summary: 'Read the first items of a failure queue, in words',
  tag,
  params: Name,
  uses: ['failures'],
  response: () => list(FailedWork()),
});

const changed = () => single(z.object({ count: z.int() }));

export const replayFailures = /* @__PURE__ */ route({
  id: 'replayFailures',
  method: 'POST',
  path: '/operator/v1/failures/{name}/replay',
  access,
  audit: 'failures.replayed',
  summary: 'Replay failed work, at most 200 items by one call',
  tag,
  params: Name,
  body: () => z.object(Reason()),
  uses: ['failures', 'replay', 'mail-sender'],
  response: () =>
    single(
      z.object({
        count: z.int(),
        kept: z.int().register(z.globalRegistry, { description: 'Items that failed again, or are lost, and stay' }),
      }),
    ),
});

export const discardFailures = /* @__PURE__ */ route({
  id: 'discardFailures',
  method: 'POST',
  path: '/operator/v1/failures/{name}/discard',
  access,
  audit: 'failures.discarded',
  summary: 'Discard failed work, at most 200 items by one call',
  tag,
  params: Name,
  body: () => z.object(Reason()),
  uses: ['failures'],
  response: changed,
});
