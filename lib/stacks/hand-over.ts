import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Duration } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { FailureQueue, MAX_RECEIVES, polls } from '../constructs/queues.ts';
import type { Use } from '../constructs/rights.ts';
import type { AppHostingStack } from './app-hosting.ts';
import type { BillingStack } from './billing.ts';
import type { BuildsStack } from './builds.ts';
import type { CustomDomainsStack } from './custom-domains.ts';
import type { DatabasesStack } from './databases.ts';
import type { DeploymentsStack } from './deployments.ts';
import type { HostingStack } from './hosting.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { DomainsStack } from './registrar.ts';
import type { TableStack } from './table.ts';

interface HandOverNeighbors {
  table: TableStack;
  appHosting: AppHostingStack;
  builds: BuildsStack;
  deployments: DeploymentsStack;
  hosting: HostingStack;
  databases: DatabasesStack;
  domains: DomainsStack;
  customDomains: CustomDomainsStack;
  billing: BillingStack;
}

interface JobQueueSettings {
  /** The name of the queue and of its variables: `ROUTE_QUEUE_URL`, `ROUTE_FAILURES_URL`. */
  name: 'route' | 'payment' | 'workflow' | 'mail';
  handler: string;
  description: string;
  seconds: { function: number; visibility: number };
  /** Maximum messages of one invocation, and maximum concurrent invocations. */
  batchSize: number;
  maxConcurrency: number;
  /** Undefined if the installation's settings disable the jobs. Then only the queues exist. */
  uses: Use[] | undefined;
  /** True for jobs that send further jobs to the same queue. */
  sendsJobs?: true;
}

/** Returns the right to send emails from an address, with the SES identity of the address or of its domain. */
function sendsMail({ config, names }: Platform, from: string): Use {
  const identity = (name: string) => names.mailIdentity(name);
  return {
    variables: { MAIL_FROM: from, MAIL_REGION: config.mailRegion },
    rights: [
      {
        actions: ['ses:SendEmail'],
        on: [identity(from), identity(from.slice(from.indexOf('@') + 1))],
        when: { StringEquals: { 'ses:FromAddress': from } },
      },
    ],
  };
}

/**
 * The queues through which the stream hands work over, one for each external service. Each queue has its own function, rights, retries and
 * failure queue, so that a slow or unavailable service delays neither the others nor the stream.
 */
export class HandOverStack extends PlatformStack {
  /** Sends jobs. */
  readonly send: Use;
  /** Sends jobs to the queue of routes only. */
  readonly sendRoutes: Use;
  /** Lets operators read and remove failed jobs. */
  readonly failures: Use[];
  /** Queues whose jobs normally never wait for long. */
  readonly queueNames: string[];
  /** The queue of emails, which wait on purpose; undefined if no emails are sent. */
  readonly mailQueueName: string | undefined;

  constructor(platform: Platform, neighbors: HandOverNeighbors) {
    super(platform, 'hand-over', 'Queues of work outside of the table, one for each service');
    const { table, appHosting, builds, deployments, hosting, databases, domains, customDomains, billing } = neighbors;
    this.addStackDependency(billing);
    const { jobs } = TIMEOUTS_S;
    const state = [table.read, table.write];
    const queues: JobQueueSettings[] = [
      {
        name: 'route',
        handler: 'updateRoutes',
        seconds: jobs.routes,
        description: 'Changes where host names lead, and whether an application is served',
        // The route store accepts only a few writes a second, so an invocation writes all changes of a batch together.
        batchSize: 10,
        maxConcurrency: 2,
        uses: [...state, appHosting.route, appHosting.access, deployments.stop],
      },
      {
        name: 'payment',
        handler: 'requestPayment',
        seconds: jobs.payments,
        description: 'Requests payments from the payment processor',
        batchSize: 1,
        maxConcurrency: 10,
        uses: [...state, billing.payments],
      },
      {
        name: 'workflow',
        handler: 'startWorkflow',
        seconds: jobs.workflows,
        description: 'Starts and stops executions of the state machines, and builds',
        batchSize: 5,
        maxConcurrency: 10,
        uses: [
          ...state,
          deployments.start,
          builds.discardJob,
          hosting.reconcile,
          databases.work,
          domains.start,
          customDomains.reconcile,
        ],
      },
    ];
    const { mailFrom } = platform.config;
    queues.push({
      name: 'mail',
      handler: 'sendMail',
      seconds: jobs.mails,
      description: 'Sends emails about notifications',
      batchSize: 1,
      maxConcurrency: 5,
      sendsJobs: true,
      uses: mailFrom === undefined ? undefined : [...state, sendsMail(platform, mailFrom)],
    });
    const created = queues.map((settings) => ({ name: settings.name, ...this.createQueue(platform, settings) }));
    const queueNames = (isMail: boolean) =>
      queues
        .filter(({ name, uses }) => uses && (name === 'mail') === isMail)
        .map(({ name }) => platform.names.queue(`${name}s`));
    this.queueNames = queueNames(false);
    [this.mailQueueName] = queueNames(true);
    this.failures = created.map(({ failures }) => failures);
    this.sendRoutes = created.find(({ name }) => name === 'route')?.send ?? {};
    this.send = {
      variables: Object.assign({}, ...created.map(({ send }) => send?.variables)),
      rights: created.flatMap(({ send }) => send?.rights ?? []),
    };
  }

  private createQueue(platform: Platform, settings: JobQueueSettings): { send?: Use; failures: Use } {
    const { name, handler, description, seconds, batchSize, maxConcurrency, uses } = settings;
    const variable = name.toUpperCase();
    const failures = new FailureQueue(
      this,
      platform,
      `${name}-failures`,
      `${variable}_FAILURES_URL`,
      `Failures-${name}`,
    );
    const queue = new Queue(this, `Queue-${name}`, {
      queueName: platform.names.queue(`${name}s`),
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      visibilityTimeout: Duration.seconds(seconds.visibility),
      retentionPeriod: Duration.days(14),
      deadLetterQueue: { queue: failures.queue, maxReceiveCount: MAX_RECEIVES },
    });
    if (!uses) {
      // Already deployed stacks import these values and send jobs until they are updated, which happens after this stack.
      for (const value of [queue.queueArn, queue.queueUrl]) this.exportValue(value);
      // Jobs that fail until then wait in this queue and count for the alarm.
      return { failures: failures.manage };
    }
    const send: Use = {
      variables: { [`${variable}_QUEUE_URL`]: queue.queueUrl },
      rights: [{ actions: ['sqs:SendMessage'], on: [queue.queueArn] }],
    };
    const consumer = new PlatformFunction(this, platform, `queue/${handler}`, {
      description,
      timeout: seconds.function,
      memory: 512,
      uses: [...uses, { rights: [polls(queue)] }, ...(settings.sendsJobs ? [send] : [])],
    });
    new EventSourceMapping(this, `Jobs-${name}`, {
      target: consumer.live,
      eventSourceArn: queue.queueArn,
      batchSize,
      maxConcurrency,
      reportBatchItemFailures: true,
    });
    return { failures: failures.manage, send };
  }
}
