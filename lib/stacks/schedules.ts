import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { PlatformFunction } from '../constructs/function.ts';
import { FailureQueue } from '../constructs/queues.ts';
import { policyOf, type Use } from '../constructs/rights.ts';
import type { BillingStack } from './billing.ts';
import { ASK_DNS, type DoorsStack } from './custom-domains.ts';
import type { DatabasesStack } from './databases.ts';
import type { DeploymentsStack } from './deployments.ts';
import type { HostingStack } from './hosting.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { DomainsStack } from './registrar.ts';
import type { TableStack } from './table.ts';
import type { DeliveryStack } from './webhooks.ts';

interface ScheduleNeighbours {
  table: TableStack;
  deployments: DeploymentsStack;
  delivery: DeliveryStack;
  panel: HostingStack;
  databases: DatabasesStack;
  domains: DomainsStack;
  doors: DoorsStack;
  billing: BillingStack;
}

/** What happens by the clock. */
export class SchedulesStack extends PlatformStack {
  constructor(platform: Platform, neighbours: ScheduleNeighbours) {
    super(
      platform,
      'schedules',
      'What happens by the clock: the reconciler, payments, and the books of the AI gateway',
    );
    const { table, deployments, delivery, panel, databases, domains, doors, billing } = neighbours;
    this.addStackDependency(billing);
    const failures = new FailureQueue(this, platform, 'schedule-failures');
    const look = [table.read, table.due, table.write, failures.send];
    const everyMinute = (name: string, description: string, uses: Use[]) => {
      const made = new PlatformFunction(this, platform, `schedule/${name}`, {
        description,
        // Less than a minute: a run ends before the next begins.
        timeout: 55,
        uses,
      });
      // An invocation that Lambda accepted and that then fails is not repeated (the next minute is another) but is kept.
      made.lambda.configureAsyncInvoke({ retryAttempts: 0, onFailure: new SqsDestination(failures.queue) });
      return { name, description, lambda: made.lambda };
    };
    const jobs = [
      everyMinute('reconcile', 'Finds what is overdue and puts it back on its way', [
        ...look,
        deployments.supervise,
        delivery.queue,
        domains.supervise,
        doors.keep,
        domains.mirror,
        panel.settle,
        databases.make,
        ASK_DNS,
      ]),
      everyMinute('settleBilling', 'Looks into payments that are open, and makes void what was not paid in time', [
        ...look,
        billing.payments,
      ]),
      everyMinute('releaseAiHolds', 'Gives back what calls to AI models held that died', look),
      everyMinute('checkAiLedgers', 'Holds the ledger of AI credits against the balance, an account an hour', look),
    ];

    const role = new Role(this, 'Role', {
      description: 'EventBridge Scheduler: invoking what is scheduled',
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com'),
      inlinePolicies: {
        invoke: policyOf([
          { actions: ['lambda:InvokeFunction'], on: jobs.map(({ lambda }) => lambda.functionArn) },
          ...(failures.send.rights ?? []),
        ]),
      },
    });
    for (const { name, description, lambda } of jobs) {
      new CfnSchedule(this, name === 'reconcile' ? 'EveryMinute' : `${name}EveryMinute`, {
        name: `${platform.config.prefix}-${name}`,
        description,
        scheduleExpression: 'rate(1 minute)',
        flexibleTimeWindow: { mode: 'OFF' },
        target: {
          arn: lambda.functionArn,
          roleArn: role.roleArn,
          input: '{}',
          retryPolicy: { maximumRetryAttempts: 2, maximumEventAgeInSeconds: 60 },
          deadLetterConfig: { arn: failures.queue.queueArn },
        },
      });
    }
  }
}
