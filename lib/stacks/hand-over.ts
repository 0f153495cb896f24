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

interface HandOverNeighbours {
  table: TableStack;
  hosting: AppHostingStack;
  builds: BuildsStack;
  deployments: DeploymentsStack;
  panel: HostingStack;
  databases: DatabasesStack;
  domains: DomainsStack;
  customDomains: CustomDomainsStack;
  billing: BillingStack;
}

interface Outside {
  /** The name of the queue and of its variables: `ROUTE_QUEUE_URL`, `ROUTE_FAILURES_URL`. */
  name: 'route' | 'payment' | 'workflow' | 'mail';
  handler: string;
  description: string;
  seconds: { function: number; visibility: number };
  /** Messages of one invocation, and invocations at once. */
  batchSize: number;
  maxConcurrency: number;
  /** Undefined where the installation's settings turn the jobs off: then only the queues exist. */
  uses: Use[] | undefined;
  /** True for jobs that make other jobs of the same queue. */
  sendsJobs?: true;
}

/** The right to send from an address: of the identity that SES finds, that of the address or that of its domain. */
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
 * The queues through which the stream hands work over, one for each service outside that may be slow or away alone: with
 * its own function, rights, retries and failure queue, so that none holds up another, nor the stream.
 */
export class HandOverStack extends PlatformStack {
  /** Hands jobs over. */
  readonly send: Use;
  /** Lets operators see and remove what failed. */
  readonly failures: Use[];
  /** Queues whose jobs never wait for long. */
  readonly queueNames: string[];
  /** The queue of emails, which wait on purpose; undefined where none are sent. */
  readonly mailQueueName: string | undefined;

  constructor(platform: Platform, neighbours: HandOverNeighbours) {
    super(platform, 'hand-over', 'Queues of work outside of the table, one for each service');
    const { table, hosting, builds, deployments, panel, databases, domains, customDomains, billing } = neighbours;
    this.addStackDependency(billing);
    const { jobs } = TIMEOUTS_S;
    const state = [table.read, table.write];
    const outsides: Outside[] = [
      {
        name: 'route',
        handler: 'updateRoutes',
        seconds: jobs.routes,
        description: 'Changes where host names lead, and whether an application is served',
        // The store of routes takes a few writes a second: an invocation writes those of a batch together.
        batchSize: 10,
        maxConcurrency: 2,
        uses: [...state, hosting.route, hosting.access, deployments.stop],
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
          panel.reconcile,
          databases.work,
          domains.start,
          customDomains.reconcile,
        ],
      },
    ];
    const { mailFrom } = platform.config;
    outsides.push({
      name: 'mail',
      handler: 'sendMail',
      seconds: jobs.mails,
      description: 'Sends emails about notifications',
      batchSize: 1,
      maxConcurrency: 5,
      sendsJobs: true,
      uses: mailFrom === undefined ? undefined : [...state, sendsMail(platform, mailFrom)],
    });
    const made = outsides.map((outside) => this.createQueue(platform, outside));
    const queueNames = (isMail: boolean) =>
      outsides
        .filter(({ name, uses }) => uses && (name === 'mail') === isMail)
        .map(({ name }) => platform.names.queue(`${name}s`));
    this.queueNames = queueNames(false);
    [this.mailQueueName] = queueNames(true);
    this.failures = made.map(({ failures }) => failures);
    this.send = {
      variables: Object.assign({}, ...made.map(({ send }) => send?.variables)),
      rights: made.flatMap(({ send }) => send?.rights ?? []),
    };
  }

  private createQueue(platform: Platform, outside: Outside): { send?: Use; failures: Use } {
    const { name, handler, description, seconds, batchSize, maxConcurrency, uses } = outside;
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
      // Stacks that are deployed already import these, and send jobs until they are updated, after this one.
      for (const value of [queue.queueArn, queue.queueUrl]) this.exportValue(value);
      // What failed until then waits here, and counts in the alarm.
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
      uses: [...uses, { rights: [polls(queue)] }, ...(outside.sendsJobs ? [send] : [])],
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
