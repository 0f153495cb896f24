import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Config } from '../config.ts';
import { PlatformFunction } from '../constructs/function.ts';
import { FailureQueue } from '../constructs/queues.ts';
import { policyOf, type Use } from '../constructs/rights.ts';
import type { ApiStack } from './api.ts';
import type { AppHostingStack } from './app-hosting.ts';
import type { BillingStack } from './billing.ts';
import type { BuildsStack } from './builds.ts';
import { type CustomDomainsStack, DNS_LOOKUP } from './custom-domains.ts';
import type { DatabasesStack } from './databases.ts';
import type { DeploymentsStack } from './deployments.ts';
import type { HandOverStack } from './hand-over.ts';
import type { HostingStack } from './hosting.ts';
import type { LoginStack } from './login.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import { countDomains, type DomainsStack } from './registrar.ts';
import type { TableStack } from './table.ts';
import type { DeliveryStack } from './webhooks.ts';

/** A name that the local run's name server always has (local/seeds/domains.ts). */
const LOCAL_DNS_NAME = 'demo-shop.co.za';

interface ScheduleNeighbors {
  table: TableStack;
  api: ApiStack;
  builds: BuildsStack;
  appHosting: AppHostingStack;
  login: LoginStack;
  deployments: DeploymentsStack;
  delivery: DeliveryStack;
  hosting: HostingStack;
  databases: DatabasesStack;
  domains: DomainsStack;
  customDomains: CustomDomainsStack;
  billing: BillingStack;
  jobQueues: HandOverStack;
}

/** Lets a function read the number of emails that SES has sent in a day. */
const countMails = ({ mailRegion }: Pick<Config, 'mailRegion'>): Use => ({
  variables: { MAIL_REGION: mailRegion },
  rights: [{ actions: ['ses:GetAccount'], on: ['*'], wildcard: 'the action has no resource-level permissions' }],
});

/** A job that a function of `functions/schedule/` does. */
interface Job {
  name: string;
  description: string;
  uses: Use[];
  /** False for a job that runs only when it is invoked. */
  isScheduled?: boolean;
}

/** Returns the jobs and what each of them uses. */
function jobsOf(config: Config, stacks: ScheduleNeighbors, failures: Use): Job[] {
  const { table, appHosting, login, domains, databases, billing } = stacks;
  const jobUses = [table.read, table.due, table.write, failures];
  return [
    {
      name: 'runChecks',
      description: 'Uses each product as a customer does: synthetic checks',
      // The function also exists without its schedule: operators may invoke it, and tests of the local run do.
      isScheduled: config.monitoring === 'full',
      uses: [
        table.read,
        table.write,
        appHosting.checksKey,
        login.check,
        failures,
        DNS_LOOKUP,
        {
          variables: {
            CHECKS_DNS_NAME: config.stage === 'local' ? LOCAL_DNS_NAME : config.appsDomain,
            CHECKS_REPO_URL: config.checksRepoUrl ?? '',
          },
        },
      ],
    },
    {
      name: 'reconcile',
      description: 'Finds overdue work and requeues it',
      uses: [
        ...jobUses,
        stacks.deployments.supervise,
        stacks.delivery.queue,
        stacks.jobQueues.sendRoutes,
        domains.supervise,
        stacks.customDomains.reconcile,
        domains.syncZones,
        stacks.hosting.reconcile,
        databases.work,
        databases.measure,
        appHosting.measureCapacity,
        DNS_LOOKUP,
      ],
    },
    {
      name: 'settleBilling',
      description: 'Checks open payments and voids invoices that were not paid in time',
      uses: [...jobUses, billing.payments],
    },
    {
      name: 'checkAiLedgers',
      description: 'Settles the AI calls that crashed, and compares each AI credit ledger with its balance',
      uses: jobUses,
    },
    {
      name: 'serveAccounts',
      description: 'Makes the exports and deletions that accounts asked for',
      uses: [...jobUses, stacks.builds.writeExports, stacks.api.seller, login.removeUsers],
    },
    {
      name: 'migrate',
      description: 'Continues the migrations of stored items',
      uses: [table.read, table.scan, table.write, failures],
    },
    {
      name: 'measureQuotas',
      description: 'Measures what is used of the quotas of AWS, and deletes certificates that nothing uses',
      uses: [
        table.read,
        table.write,
        failures,
        appHosting.measureQuotas,
        databases.count,
        countDomains,
        ...(config.mailFrom ? [countMails(config)] : []),
      ],
    },
  ];
}

/** The scheduled jobs. Each runs once a minute. */
export class SchedulesStack extends PlatformStack {
  /** Lets operators read and remove failed invocations. */
  readonly failures: Use;
  /** Lets operators run the jobs. */
  readonly replay: Use;
  /** The jobs, which run every minute. */
  readonly jobs: { name: string; functionName: string }[];

  constructor(platform: Platform, stacks: ScheduleNeighbors) {
    super(platform, 'schedules', 'Scheduled jobs: the reconciler, payments, and the ledger of the AI gateway');
    const { config } = platform;
    this.addStackDependency(stacks.billing);
    const failures = new FailureQueue(this, platform, 'schedule-failures', 'SCHEDULE_FAILURES_URL');
    this.failures = failures.manage;
    const functions = jobsOf(config, stacks, failures.send).map(({ name, description, uses, isScheduled = true }) => {
      const handler = new PlatformFunction(this, platform, `schedule/${name}`, {
        description,
        // Less than a minute, so that a run ends before the next one begins.
        timeout: TIMEOUTS_S.schedule.function,
        uses,
      });
      // A failed asynchronous invocation goes to the failure queue. It is not retried, because the job runs again in the next minute.
      handler.live.configureAsyncInvoke({ retryAttempts: 0, onFailure: new SqsDestination(failures.queue) });
      return { name, description, isScheduled, handler, live: handler.live, functionName: handler.functionName };
    });
    const jobs = functions.filter(({ isScheduled }) => isScheduled);
    this.jobs = jobs;
    this.replay = { rights: jobs.map(({ handler }) => handler.invocation) };
    const role = new Role(this, 'Role', {
      description: 'EventBridge Scheduler: invokes the scheduled jobs',
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com'),
      inlinePolicies: {
        invoke: policyOf([
          { actions: ['lambda:InvokeFunction'], on: jobs.map(({ live }) => live.functionArn) },
          ...(failures.send.rights ?? []),
        ]),
      },
    });
    for (const { name, description, live } of jobs) {
      new CfnSchedule(this, name === 'reconcile' ? 'EveryMinute' : `${name}EveryMinute`, {
        name: `${platform.config.prefix}-${name}`,
        description,
        scheduleExpression: 'rate(1 minute)',
        flexibleTimeWindow: { mode: 'OFF' },
        target: {
          arn: live.functionArn,
          roleArn: role.roleArn,
          input: '{}',
          retryPolicy: { maximumRetryAttempts: 2, maximumEventAgeInSeconds: 60 },
          deadLetterConfig: { arn: failures.queue.queueArn },
        },
      });
    }
  }
}
