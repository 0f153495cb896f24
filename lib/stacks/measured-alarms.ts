import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { type Alarm, exceeding, METRIC_NAMESPACE, maximum, sum, total } from '../constructs/alarms.ts';
import type { Platform } from './platform-stack.ts';

/** Alarms on the platform's own metrics (runtime/observability). */

/** Alarms on the synthetic checks (runtime/observability/check-metrics.ts). */
export function alarmsForChecks({ config: { stage } }: Platform): Alarm[] {
  return [
    {
      name: 'checks-failing',
      severity: 'page',
      metric: sum(METRIC_NAMESPACE, 'CheckFailures', { stage }),
      threshold: 2,
      periods: 2,
      description: 'A synthetic check of a product failed at least three times in each of two periods of five minutes.',
      runbookAnchor: 'synthetic-checks',
    },
    {
      name: 'checks-missing',
      severity: 'page',
      metric: sum(METRIC_NAMESPACE, 'ChecksDone', { stage }),
      threshold: 3,
      periods: 2,
      isHeartbeat: true,
      description: 'The synthetic checks, which run every minute, ended fewer than three times in five minutes.',
      runbookAnchor: 'synthetic-checks',
    },
  ];
}

/** Alarms on deployments that failed because of the platform (runtime/observability/deployment-metrics.ts), and on waiting builds. */
export function alarmsForDeployments({ config: { stage } }: Platform): Alarm[] {
  return [
    {
      name: 'deployment-faults',
      severity: 'ticket',
      metric: sum(METRIC_NAMESPACE, 'DeploymentFaults', { stage }),
      threshold: 0,
      description: 'A deployment failed because of the platform and not because of its owner.',
      runbookAnchor: 'builds',
    },
    {
      name: 'builds-waiting',
      severity: 'ticket',
      metric: maximum(METRIC_NAMESPACE, 'BuildWait', { stage }),
      threshold: TIMEOUTS_S.build.alarm,
      description: 'A build has waited for a builder for more than 10 minutes, at CodeBuild or in the build queue.',
      runbookAnchor: 'builds',
    },
  ];
}

/** The alarm on items that a migration cannot change (runtime/observability/migration-metrics.ts). */
export const alarmsForMigrations = ({ config: { stage } }: Platform): Alarm[] => [
  {
    name: 'migration-failures',
    severity: 'ticket',
    metric: maximum(METRIC_NAMESPACE, 'MigrationFailures', { stage }),
    threshold: 0,
    description: 'A migration could not change items of the table, and no later migration begins before it is done.',
    runbookAnchor: 'a-stuck-migration',
  },
];

/**
 * Alarms on the quotas of AWS: on the concurrency that all functions of the account share, which Lambda measures, and on the quota with the
 * highest usage of those that the platform measures itself (runtime/observability/quota-metrics.ts).
 */
export function alarmsForQuotas({ config: { lambdaConcurrency, stage } }: Platform): Alarm[] {
  const at = (severity: Alarm['severity'], percent: number, ...others: [Metric, number][]): Alarm => ({
    name: `quotas-${percent}`,
    severity,
    metric: exceeding(
      [maximum('AWS/Lambda', 'ClaimedAccountConcurrency', {}), Math.floor((lambdaConcurrency * percent) / 100)],
      [maximum(METRIC_NAMESPACE, 'QuotaUse', { stage }), percent],
      ...others,
    ),
    threshold: 0,
    periods: 2,
    description: `More than ${percent}% of a quota of AWS is used${others.length > 0 ? ', or one could not be measured for hours' : ''}.`,
    runbookAnchor: 'quotas',
  });
  const unmeasured = maximum(METRIC_NAMESPACE, 'QuotasUnmeasured', { stage });
  return [at('ticket', 70, [unmeasured, 0]), at('page', 90)];
}

/**
 * Alarms on the metrics of the AI gateway's functions (runtime/observability/chat-report.ts,
 * functions/schedule/checkAiLedgers.ts).
 */
export function alarmsForAi({ config: { stage } }: Platform): Alarm[] {
  const counted = (metricName: string, operation = 'createChatCompletion') =>
    sum(METRIC_NAMESPACE, metricName, { stage, operation });
  return [
    {
      name: 'ai-own-key-refused',
      severity: 'page',
      metric: counted('OwnKeyRefused'),
      threshold: 0,
      description:
        'An AI provider refused the platform’s key, or our account there has no credit left, so calls to its models fail.',
      runbookAnchor: 'provider-key',
    },
    {
      name: 'ai-upstream-failures',
      severity: 'ticket',
      metric: sum(METRIC_NAMESPACE, 'UpstreamFailures', { stage }),
      threshold: 20,
      description: 'Calls to AI providers failed more than 20 times within 5 minutes.',
      runbookAnchor: 'provider-failures',
    },
    {
      name: 'ai-ledger',
      severity: 'ticket',
      metric: exceeding(
        [counted('LedgerMismatches', 'checkAiLedgers'), 0],
        [counted('Unsettled'), 0],
        [counted('WrittenOffMicroRand'), 1_000_000],
      ),
      threshold: 0,
      description:
        'A ledger of AI credits does not add up to its balance, a call could not be charged, or more than R1.00 was written off.',
      runbookAnchor: 'ai-ledger',
    },
  ];
}

/** The alarm on feature flags that should have been removed (runtime/observability/flag-metrics.ts). */
export const alarmsForFlags = ({ config: { stage } }: Platform): Alarm[] => [
  {
    name: 'flags-expired',
    severity: 'ticket',
    metric: maximum(METRIC_NAMESPACE, 'ExpiredFlags', { stage }),
    threshold: 0,
    description: 'A feature flag still exists after the day by which its owner was to remove it.',
    runbookAnchor: 'flags',
  },
];

/** Price in dollars of a DPU of Aurora DSQL in eu-west-1, rounded up (docs/costs.md). */
const DOLLARS_PER_UNIT = 10 / 1_000_000;

/** The alarm on the usage of all databases (runtime/observability/database-metrics.ts), as a fraction of the monthly budget. */
export const alarmsForDatabases = ({ config: { stage, monthlyBudget } }: Platform): Alarm[] => [
  {
    name: 'database-use',
    severity: 'ticket',
    metric: sum(METRIC_NAMESPACE, 'DatabaseUnits', { stage }).with({ period: Duration.hours(6) }),
    threshold: Math.round(monthlyBudget / 20 / DOLLARS_PER_UNIT),
    description: 'Databases of all customers cost more than a twentieth of the monthly budget within six hours.',
    runbookAnchor: 'database-use',
  },
];

/** Alarms on the metrics of sweeps (runtime/observability/sweep-metrics.ts). */
export function alarmsForDueQueues({ config: { stage } }: Platform): Alarm[] {
  return [
    {
      name: 'due-queues-behind',
      severity: 'page',
      metric: maximum(METRIC_NAMESPACE, 'SweepOldestDue', { stage }),
      threshold: 900,
      description: 'An item has been due for more than 15 minutes: scheduled work is late.',
      runbookAnchor: 'due-queues',
    },
    {
      name: 'due-items',
      severity: 'ticket',
      metric: total(
        sum(METRIC_NAMESPACE, 'SweepFailures', { stage }),
        maximum(METRIC_NAMESPACE, 'SweepQuarantined', { stage }),
      ),
      threshold: 0,
      description:
        'Scheduled work on an item failed and is repeated with backoff, or failed ten times, so that it waits for an operator.',
      runbookAnchor: 'due-queues',
    },
  ];
}
