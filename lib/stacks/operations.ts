import { Alarm as CloudWatchAlarm, ComparisonOperator, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { PlatformFunction } from '../constructs/function.ts';
import { dashboard } from '../constructs/operations-dashboard.ts';
import type { ApiStack } from './api.ts';
import {
  alarmsFor,
  alarmsForAi,
  alarmsForApi,
  alarmsForDueQueues,
  alarmsForHosting,
  alarmsForPayments,
  alarmsForTable,
} from './operations-alarms.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

/** Tools of the operators: alarms, a dashboard, and functions that operators call. */
export class OperationsStack extends PlatformStack {
  constructor(platform: Platform, table: TableStack, api: ApiStack) {
    super(platform, 'operations', 'Alarms, dashboard, and functions that operators call');
    const { app, config } = platform;

    new PlatformFunction(this, platform, 'operator/createAccount', {
      description: 'Creates an account with its keys; called by operators',
      timeout: 30,
      uses: [table.read, table.write],
    });

    new PlatformFunction(this, platform, 'operator/setAiOffer', {
      description: 'Changes the AI models on offer and the exchange rate of the dollar; called by operators',
      uses: [table.write],
    });

    new PlatformFunction(this, platform, 'operator/setPlans', {
      description: 'Changes the plans on sale and their prices; called by operators',
      uses: [table.write],
    });

    new PlatformFunction(this, platform, 'operator/adjustAccount', {
      description: 'Adjusts a balance, issues or voids an invoice, grants a plan; called by operators',
      uses: [table.read, table.write],
    });

    new PlatformFunction(this, platform, 'operator/setSuspension', {
      description: 'Suspends an account or an application with a reason, or lifts it; called by operators',
      uses: [table.read, table.write],
    });

    new PlatformFunction(this, platform, 'operator/setDomainPrices', {
      description: 'Changes the domain extensions on sale and their prices; called by operators',
      uses: [table.write],
    });

    new PlatformFunction(this, platform, 'operator/listQuarantined', {
      description: 'Lists items that were taken out of their due queues, with their errors; called by hand',
      uses: [table.read, table.due],
    });

    new PlatformFunction(this, platform, 'operator/releaseQuarantined', {
      description: 'Returns quarantined items to their due queues; called by hand',
      uses: [table.read, table.due, table.write],
    });

    const topic = new Topic(this, 'Alarms', { topicName: `${config.prefix}-alarms`, enforceSSL: true });
    // A policy that requires TLS replaces the default policy, which let CloudWatch publish.
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com'));
    if (config.alarmEmail) topic.addSubscription(new EmailSubscription(config.alarmEmail));
    const action = new SnsAction(topic);

    // Alarms are derived from the constructs of all stacks, so that a new construct needs no registration.
    const alarms = [
      ...app.node.findAll().flatMap(alarmsFor),
      ...alarmsForApi(api),
      ...alarmsForTable(platform),
      ...alarmsForAi(platform),
      ...alarmsForHosting(platform),
      ...alarmsForPayments(platform),
      ...alarmsForDueQueues(platform),
    ];
    for (const { name, metric, threshold, periods = 1, description, runbookAnchor } of alarms) {
      const alarm = new CloudWatchAlarm(this, `Alarm-${name}`, {
        alarmName: `${config.prefix}-${name}`,
        alarmDescription: `${description} See docs/runbook.md#${runbookAnchor}`,
        metric,
        threshold,
        evaluationPeriods: periods,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      alarm.addAlarmAction(action);
    }
    dashboard(this, platform, api.api.apiId);
  }
}
