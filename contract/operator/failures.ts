import * as z from 'zod/mini';
import { describe, list, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';
import { OPERATOR_TAG } from './accounts.ts';
import { Reason } from './actions.ts';

interface FailureRule {
  label: string;
  /** The meaning of the queue's items, and the reason why they do no harm. */
  means: string;
  /** The effect of a replay. */
  replay: string;
}

/** The failure queues, in which failed work waits for operators (docs/runbook.md#failure-queue). */
export const FAILURES = {
  deliveries: {
    label: 'Webhook deliveries',
    means: 'An attempt failed ten times on our side. An attempt that is no longer due has no effect.',
    replay: 'Sends the attempts to the delivery queue again.',
  },
  dns: {
    label: 'DNS changes',
    means: 'The name servers refused the records of a domain ten times.',
    replay: 'Syncs the zones again.',
  },
  routes: {
    label: 'Routes of applications',
    means:
      'The edge refused ten times to change the route of a host name, or an application could not be opened or closed.',
    replay: 'Applies the current state of the applications.',
  },
  payments: {
    label: 'Card payments',
    means: 'A charge failed ten times on our side. A scheduled job asks the payment provider about each open payment.',
    replay: 'Requests the payments that are still open.',
  },
  workflows: {
    label: 'Workflows',
    means: 'An execution or a build could not be started or stopped ten times. The reconciler starts what is missing.',
    replay: 'Starts and stops what the items now require.',
  },
  mails: {
    label: 'Emails',
    means: 'SES refused an email ten times. The dashboard shows its content too.',
    replay: 'Sends the unsent emails to those who still want them.',
  },
  quarantine: {
    label: 'Quarantined items',
    means: 'An item failed ten times in a row and left its due queue. A discarded subscription is never invoiced.',
    replay: 'Returns the items to their due queues, due now.',
  },
  stream: {
    label: 'Changes of the table',
    means:
      'A rule failed for a change until the stream moved on. The stream keeps the change for 24 hours; after that, the item cannot be replayed and stays here.',
    replay: 'Runs the rules for the changes again.',
  },
  schedules: {
    label: 'Scheduled jobs',
    means: 'A run failed, and the job ran again in the next minute. Only a series of failures matters.',
    replay: 'Runs each of the jobs once.',
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
      'Approximate number of items, at most 500 for quarantined items; null while the queue cannot be read',
    ),
  }),
);

/** An item of failed work, described for operators. */
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
  summary: 'List the failure queues with the number of their items',
  tag,
  uses: ['failures'],
  response: () => list(FailureQueue()),
});

export const readFailures = /* @__PURE__ */ route({
  id: 'readFailures',
  method: 'GET',
  path: '/operator/v1/failures/{name}',
  access,
  summary: 'Read the first items of a failure queue, each with a description',
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
  summary: 'Replay failed work, at most 200 items per call',
  tag,
  params: Name,
  body: () => z.object(Reason()),
  uses: ['failures', 'replay', 'mail-sender'],
  response: () =>
    single(
      z.object({
        count: z.int(),
        kept: z.int().register(z.globalRegistry, {
          description: 'Number of items that stay in the queue, because they failed again or are lost',
        }),
      }),
    ),
});

export const discardFailures = /* @__PURE__ */ route({
  id: 'discardFailures',
  method: 'POST',
  path: '/operator/v1/failures/{name}/discard',
  access,
  audit: 'failures.discarded',
  summary: 'Discard failed work, at most 200 items per call',
  tag,
  params: Name,
  body: () => z.object(Reason()),
  uses: ['failures'],
  response: changed,
});
