import { Alarm, ComparisonOperator, type Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Duration } from 'aws-cdk-lib/core';
import { maximum, OWN, sum, type Watch } from './constructs/alarms.ts';
import { PlatformFunction } from './constructs/function.ts';
import { dashboard } from './constructs/operations-dashboard.ts';
import { FailureQueue } from './constructs/queues.ts';
import { Machine } from './constructs/state-machine.ts';
import type { ApiStack } from './stacks/api.ts';
import { type Platform, PlatformStack } from './stacks/platform-stack.ts';
import { DomainsStack } from './stacks/registrar.ts';
import { StreamStack } from './stacks/stream.ts';
import type { TableStack } from './stacks/table.ts';
import { DeliveryStack } from './stacks/webhooks.ts';

/** What those who run the platform have: alarms, a dashboard, and functions to call by hand. */
export class OperationsStack extends PlatformStack {
  constructor(platform: Platform, table: TableStack, api: ApiStack) {
    super(platform, 'operations', 'Alarms, dashboard, and functions to call by hand');
    const { app, config } = platform;

    new PlatformFunction(this, platform, 'operator/createAccount', {
      description: 'Makes an account with its keys; called by hand',
      timeout: 30,
      uses: [table.read, table.write],
    });

    new PlatformFunction(this, platform, 'operator/setAiOffer', {
      description: 'Changes the AI models on offer and the price of a dollar; called by hand',
      uses: [table.write],
    });

    new PlatformFunction(this, platform, 'operator/setPlans', {
      description: 'Changes the plans on sale and their prices; called by hand',
      uses: [table.write],
    });

    new PlatformFunction(this, platform, 'operator/keepBooks', {
      description: 'Adjusts a balance, issues an invoice or makes one void, grants a plan; called by hand',
      uses: [table.read, table.write],
    });

    new PlatformFunction(this, platform, 'operator/setDomainPrices', {
      description: 'Changes the domain extensions on sale and their prices; called by hand',
      uses: [table.write],
    });

    const topic = new Topic(this, 'Alarms', { topicName: `${config.prefix}-alarms`, enforceSSL: true });
    // A policy that asks for TLS takes the place of the default one, which let CloudWatch publish.
    topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com'));
    if (config.alarmEmail) topic.addSubscription(new EmailSubscription(config.alarmEmail));
    const action = new SnsAction(topic);

    // Whatever the stacks made is watched: nothing has to be registered, so nothing is forgotten.
    const watches = [
      ...app.node.findAll().flatMap(watchesOf),
      ...watchesOfApi(api),
      ...watchesOfTable(platform),
      ...watchesOfAi(platform),
      ...watchesOfHosting(platform),
    ];
    for (const { name, metric, above, periods = 1, means, page } of watches) {
      const alarm = new Alarm(this, `Alarm-${name}`, {
        alarmName: `${config.prefix}-${name}`,
        alarmDescription: `${means} See docs/runbook.md#${page}`,
        metric,
        threshold: above,
        evaluationPeriods: periods,
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
      alarm.addAlarmAction(action);
    }
    dashboard(this, platform, api.api.apiId);
  }
}

/** What must not happen to a construct of ours; nothing for any other. */
function watchesOf(construct: unknown): Watch[] {
  if (construct instanceof PlatformFunction) return watchesOfFunction(construct);
  if (construct instanceof FailureQueue) {
    return [
      {
        name: construct.queueName,
        metric: maximum('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: construct.queueName }),
        above: 0,
        means: 'Work was given up on and waits in this queue.',
        page: 'failure-queue',
      },
    ];
  }
  if (construct instanceof Machine) {
    return ['ExecutionsFailed', 'ExecutionsTimedOut', 'ExecutionsAborted'].map((metricName) => ({
      name: `${construct.machineName}-${metricName}`,
      metric: sum('AWS/States', metricName, { StateMachineArn: construct.stateMachineArn }),
      above: 0,
      means: 'An execution ended without recording how: a failed deployment is not one of these.',
      page: 'state-machine-failures' as const,
    }));
  }
  if (construct instanceof DeliveryStack) return watchesOfDelivery(construct);
  if (construct instanceof DomainsStack) return watchesOfDomains(construct);
  if (construct instanceof StreamStack) {
    return [
      {
        name: 'stream-behind',
        metric: maximum('AWS/Lambda', 'IteratorAge', { FunctionName: construct.consumer.functionName }),
        above: Duration.minutes(1).toMilliseconds(),
        means: 'Side effects are more than a minute late.',
        page: 'stream-behind',
      },
    ];
  }
  return [];
}

function watchesOfFunction({ functionName }: PlatformFunction): Watch[] {
  const dimensions = { FunctionName: functionName };
  return [
    {
      name: `${functionName}-errors`,
      metric: sum('AWS/Lambda', 'Errors', dimensions),
      above: 0,
      means: 'An invocation crashed or ran out of time.',
      page: 'function-errors',
    },
    {
      name: `${functionName}-throttles`,
      metric: sum('AWS/Lambda', 'Throttles', dimensions),
      above: 0,
      means: 'Invocations were refused for want of concurrency.',
      page: 'function-throttles',
    },
  ];
}

function watchesOfApi({ api }: ApiStack): Watch[] {
  return [
    {
      name: 'api-5xx',
      metric: sum('AWS/ApiGateway', '5xx', { ApiId: api.apiId }),
      above: 5,
      means: 'Callers were answered with server errors.',
      page: 'api-5xx',
    },
  ];
}

function watchesOfTable({ names }: Platform): Watch[] {
  return ['ReadThrottleEvents', 'WriteThrottleEvents'].map((metricName) => ({
    name: `table-${metricName}`,
    metric: sum('AWS/DynamoDB', metricName, { TableName: names.table.name }),
    above: 10,
    means: 'DynamoDB refused requests: a hot key, or a jump in traffic.',
    page: 'table-throttles' as const,
  }));
}

/** What the functions of the AI gateway count themselves (runtime/observability/chat-report.ts, functions/schedule/checkAiLedgers.ts). */
function watchesOfAi({ config }: Platform): Watch[] {
  const counted = (metricName: string, operation = 'createChatCompletion'): Metric =>
    sum('HostingPlatform', metricName, { stage: config.stage, operation });
  return [
    {
      name: 'ai-own-key-refused',
      metric: counted('OwnKeyRefused'),
      above: 0,
      means: 'A provider of AI models refused our own key: its models cannot be sold.',
      page: 'provider-key',
    },
    {
      name: 'ai-upstream-failures',
      metric: counted('UpstreamFailures'),
      above: 20,
      means: 'Providers of AI models fail more than now and then.',
      page: 'provider-failures',
    },
    {
      name: 'ai-ledger-mismatch',
      metric: counted('LedgerMismatches', 'checkAiLedgers'),
      above: 0,
      means: 'A ledger of AI credits does not add up to its balance.',
      page: 'ai-books',
    },
    {
      name: 'ai-unsettled',
      metric: counted('Unsettled'),
      above: 0,
      means: 'A call to a model could not be charged.',
      page: 'ai-books',
    },
    {
      name: 'ai-written-off',
      metric: counted('WrittenOffMicroRand'),
      above: 1_000_000,
      means: 'Calls cost more than their callers had: more than R1.00 was written off.',
      page: 'ai-books',
    },
  ];
}

function watchesOfDomains({ mirrorsName, stage }: DomainsStack): Watch[] {
  return [
    {
      name: 'domain-renewals-refused',
      metric: sum(OWN, 'DomainTasksRefused', { stage, task: 'RENEW' }),
      above: 0,
      means: 'The registrar refused to renew a domain: its owner may lose it.',
      page: 'domains-refused',
    },
    {
      name: 'domain-registrations-refused',
      metric: sum(OWN, 'DomainTasksRefused', { stage, task: 'REGISTER' }),
      above: 5,
      means: 'The registrar refuses one registration after another: that may be us.',
      page: 'domains-refused',
    },
    {
      name: 'dns-waiting',
      metric: maximum('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: mirrorsName }),
      above: 100,
      periods: 2,
      means: 'Changes of DNS records pile up before the name servers.',
      page: 'dns-behind',
    },
  ];
}

function watchesOfDelivery({ queueName, stage }: DeliveryStack): Watch[] {
  return [
    {
      name: 'webhooks-waiting',
      metric: maximum('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: queueName }),
      above: 10_000,
      periods: 2,
      means: 'Webhooks pile up in the queue.',
      page: 'webhooks-behind',
    },
    {
      name: 'webhooks-overdue',
      metric: maximum(OWN, 'WebhookOldestDue', { stage }),
      above: 300,
      means: 'A webhook is minutes late.',
      page: 'webhooks-behind',
    },
    {
      name: 'webhooks-disabled',
      metric: sum(OWN, 'WebhooksDisabled', { stage }),
      above: 5,
      means: 'Several endpoints were disabled at once: what they have in common may be us.',
      page: 'webhooks-disabled',
    },
  ];
}

/** What runtime/observability/hosting-metrics.ts counts. */
function watchesOfHosting({ config }: Platform): Watch[] {
  return [
    {
      name: 'hosting-problems',
      metric: sum(OWN, 'HostingProblems', { stage: config.stage }),
      above: 5,
      means: 'A hosting server does not do what it is asked: accounts are not made, suspended or removed.',
      page: 'hosting-servers',
    },
  ];
}
