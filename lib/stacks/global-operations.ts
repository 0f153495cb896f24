import { CfnBudget } from 'aws-cdk-lib/aws-budgets';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Duration } from 'aws-cdk-lib/core';
import { alarmTopics } from '../constructs/alarm-topic.ts';
import { type Alarm, createAlarm, total } from '../constructs/alarms.ts';
import type { EdgeStack } from './edge.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** CloudFront writes its metrics only in this region, and alarms can read only metrics of their own region. */
const GLOBAL_REGION = 'us-east-1';

const cloudFront = (metricName: string, dimensions: Record<string, string>, statistic: string): Metric =>
  new Metric({
    namespace: 'AWS/CloudFront',
    metricName,
    dimensionsMap: { ...dimensions, Region: 'Global' },
    statistic,
    period: Duration.minutes(5),
  });

/** Alarms on the edge, and the budget of the AWS account. There are none on responses of applications, for which their owners are responsible. */
export class GlobalOperationsStack extends PlatformStack {
  constructor(platform: Platform, { apiDistributionId, edgeFunctionNames }: EdgeStack) {
    super(platform, 'global-operations', 'Alarms on the edge, and the budget of the account', GLOBAL_REGION);
    const { prefix, region, monthlyBudget } = platform.config;
    const { topics, actions } = alarmTopics(
      this,
      platform,
      (kind) => platform.names.global(kind),
      new ServicePrincipal('budgets.amazonaws.com'),
    );
    const alarms: Alarm[] = [
      {
        name: 'edge-5xx',
        severity: 'page',
        metric: cloudFront('5xxErrorRate', { DistributionId: apiDistributionId }, Stats.AVERAGE),
        threshold: 5,
        periods: 3,
        description: 'More than 5% of the responses at the platform’s address were server errors for 15 minutes.',
        runbookAnchor: 'edge',
      },
      {
        name: 'edge-functions',
        severity: 'page',
        metric: total(
          ...edgeFunctionNames.map((FunctionName) =>
            cloudFront('FunctionExecutionErrors', { FunctionName }, Stats.SUM),
          ),
        ),
        threshold: 0,
        description: 'A CloudFront function failed, so that requests ended with an error at the edge.',
        runbookAnchor: 'edge',
      },
    ];
    for (const alarm of alarms) createAlarm(this, `${prefix}-${region}`, alarm, actions);

    const subscribers = [{ subscriptionType: 'SNS', address: topics.ticket.topicArn }];
    new CfnBudget(this, 'Budget', {
      budget: {
        budgetName: platform.names.global('budget'),
        budgetType: 'COST',
        timeUnit: 'MONTHLY',
        budgetLimit: { amount: monthlyBudget, unit: 'USD' },
      },
      notificationsWithSubscribers: [
        { notificationType: 'ACTUAL', threshold: 80 },
        { notificationType: 'FORECASTED', threshold: 100 },
      ].map((notification) => ({
        notification: { ...notification, thresholdType: 'PERCENTAGE', comparisonOperator: 'GREATER_THAN' },
        subscribers,
      })),
    });
  }
}
