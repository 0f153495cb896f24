import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { SqsDestination } from 'aws-cdk-lib/aws-lambda-destinations';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { DeliveryStack } from './delivery.ts';
import type { DeploymentsStack } from './deployments.ts';
import { PlatformFunction } from './functions.ts';
import { type Platform, PlatformStack } from './platform.ts';
import { FailureQueue } from './queues.ts';
import { policyOf } from './rights.ts';
import type { TableStack } from './table.ts';

/** What happens by the clock. */
export class SchedulesStack extends PlatformStack {
  constructor(platform: Platform, table: TableStack, deployments: DeploymentsStack, delivery: DeliveryStack) {
    super(platform, 'schedules', 'What happens by the clock: the reconciler');
    const failures = new FailureQueue(this, platform, 'schedule-failures');
    const reconcile = new PlatformFunction(this, platform, 'schedule/reconcile', {
      description: 'Finds what is overdue and puts it back on its way',
      // Less than a minute: a run ends before the next begins.
      timeout: 55,
      uses: [table.read, table.due, table.write, deployments.supervise, delivery.queue, failures.send],
    });
    // An invocation that Lambda accepted and that then fails is not repeated (the next minute is another) but is kept.
    reconcile.lambda.configureAsyncInvoke({ retryAttempts: 0, onFailure: new SqsDestination(failures.queue) });

    const role = new Role(this, 'Role', {
      description: 'EventBridge Scheduler: invoking what is scheduled',
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com'),
      inlinePolicies: {
        invoke: policyOf([
          { actions: ['lambda:InvokeFunction'], on: [reconcile.lambda.functionArn] },
          ...(failures.send.rights ?? []),
        ]),
      },
    });
    new CfnSchedule(this, 'EveryMinute', {
      name: `${platform.config.prefix}-reconcile`,
      description: 'The reconciler',
      scheduleExpression: 'rate(1 minute)',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: reconcile.lambda.functionArn,
        roleArn: role.roleArn,
        input: '{}',
        retryPolicy: { maximumRetryAttempts: 2, maximumEventAgeInSeconds: 60 },
        deadLetterConfig: { arn: failures.queue.queueArn },
      },
    });
  }
}
