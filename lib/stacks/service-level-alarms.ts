import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { Duration } from 'aws-cdk-lib/core';
import {
  BURN_RULES,
  PRODUCTS,
  type Product,
  SERVICE_LEVELS,
  type ServiceLevel,
  type ServiceLevelName,
} from '../../contract/limits/service-levels.ts';
import { type CombinedAlarm, type Condition, METRIC_NAMESPACE } from '../constructs/alarms.ts';
import type { AiStack } from './ai.ts';
import type { ApiStack } from './api.ts';
import type { Platform } from './platform-stack.ts';

/** The metrics of a service level: their namespace and dimensions. */
export type Sources = Record<ServiceLevelName, Pick<Metric, 'namespace'> & { dimensions: Record<string, string> }>;

/** Returns the namespace and dimensions of each service level's metrics. */
export function sourcesOf({ config: { stage } }: Platform, { api }: ApiStack, { chat }: AiStack): Sources {
  const platformMetrics = (dimensions: Record<string, string> = {}) => ({
    namespace: METRIC_NAMESPACE,
    dimensions: { stage, ...dimensions },
  });
  const gateway = { namespace: 'AWS/ApiGateway', dimensions: { ApiId: api.apiId } };
  return {
    apiAvailability: gateway,
    apiLatency: gateway,
    applications: platformMetrics({ check: 'hosted-page' }),
    aiAvailability: { namespace: 'AWS/Lambda', dimensions: { FunctionName: chat.functionName } },
    aiFirstByte: platformMetrics({ operation: 'createChatCompletion' }),
    deliveryLag: platformMetrics(),
    deployments: platformMetrics(),
  };
}

/** The sections of the runbook about the products. */
const RUNBOOK: Record<Product, string> = {
  api: 'api-5xx',
  applications: 'applications-down',
  ai: 'provider-failures',
  webhooks: 'webhooks-behind',
  deployments: 'builds',
};

const levelsOf = (products: readonly Product[]) =>
  Object.entries<ServiceLevel>(SERVICE_LEVELS).filter(([, { product }]) => products.includes(product)) as [
    ServiceLevelName,
    ServiceLevel,
  ][];

/** Returns the expressions for the number of bad events and of all events, and the two metrics that they use. */
function eventsOf(
  name: ServiceLevelName,
  { indicator }: ServiceLevel,
  { namespace, dimensions }: Sources[ServiceLevelName],
  period: Duration,
): { bad: string; all: string; metrics: Record<string, Metric> } {
  const metric = (metricName: string, statistic: string) =>
    new Metric({ namespace, metricName, dimensionsMap: dimensions, statistic, period });
  const [a, b] = [`${name}A`, `${name}B`];
  switch (indicator.kind) {
    case 'ratio':
      return {
        bad: `FILL(${a},0)`,
        all: b,
        metrics: { [a]: metric(indicator.bad, Stats.SUM), [b]: metric(indicator.all, Stats.SUM) },
      };
    case 'within':
      // An alarm supports the percentage of the values in a range, but not their number. The range has no start, because a range excludes its
      // start: with a start of 0, values of 0 would count as slow.
      return {
        bad: `${b}*(1-${a}/100)`,
        all: b,
        metrics: {
          [a]: metric(indicator.metric, Stats.percentileRank(indicator.ms)),
          [b]: metric(indicator.metric, Stats.SAMPLE_COUNT),
        },
      };
    case 'success':
      return {
        bad: `(${b}-${a})`,
        all: b,
        metrics: { [a]: metric(indicator.metric, Stats.SUM), [b]: metric(indicator.metric, Stats.SAMPLE_COUNT) },
      };
  }
}

/**
 * Returns the rate at which products use up their error budgets: at a rate of 1, the budget of 30 days lasts 30 days. The highest rate of the
 * products' service levels counts. Without events there is no data and no alarm; the synthetic checks detect that no requests arrive.
 */
export function burnRate(sources: Sources, products: readonly Product[], period: Duration): MathExpression {
  const levels = levelsOf(products).map(([name, level]) => {
    const { bad, all, metrics } = eventsOf(name, level, sources[name], period);
    const rate = `IF(${bad}>=${level.minimumBad},${bad}/${all}/${(1 - level.objective).toFixed(6)},0)`;
    return { rate, metrics };
  });
  const rates = levels.map(({ rate }) => (levels.length > 1 ? `FILL(${rate},0)` : rate));
  return new MathExpression({
    expression: rates.length > 1 ? `MAX([${rates.join(',')}])` : rates.join(),
    usingMetrics: Object.assign({}, ...levels.map(({ metrics }) => metrics)),
    period,
    label: 'burn rate',
  });
}

const nameOf = (seconds: number): string => (seconds < 3600 ? `${seconds / 60}m` : `${seconds / 3600}h`);

function combined(
  sources: Sources,
  { name, severity, products }: { name: string; severity: CombinedAlarm['severity']; products: readonly Product[] },
): CombinedAlarm {
  const over = (seconds: number, rate: number): Condition => ({
    name: `${name}-${nameOf(seconds)}`,
    metric: burnRate(sources, products, Duration.seconds(seconds)),
    threshold: rate,
    description: `The error budget of 30 days is used up at more than ${rate} times its rate, over ${nameOf(seconds)}.`,
  });
  const promises = levelsOf(products).map(([, { promise, objective }]) => `${promise} (${objective * 100}%)`);
  return {
    name,
    severity,
    anyOf: BURN_RULES.filter((rule) => rule.severity === severity).map(({ rate, long, short }) => [
      over(long, rate),
      over(short, rate),
    ]),
    description: `A promise is not kept: ${promises.join('; ')}.`,
    runbookAnchor: products.length === 1 ? RUNBOOK[products[0] as Product] : 'service-levels',
  };
}

/** Products that share an alarm on slow burn rates. There are two alarms, because an alarm has at most ten metrics. */
const TICKETS: Record<string, readonly Product[]> = {
  'budget-of-requests': ['api', 'applications'],
  'budget-of-work': ['ai', 'webhooks', 'deployments'],
};

/** Returns the alarms on the service levels: a page for each product with a fast burn rate, and tickets for slow burn rates. */
export const alarmsForServiceLevels = (sources: Sources): CombinedAlarm[] => [
  ...PRODUCTS.map((product) => combined(sources, { name: product, severity: 'page', products: [product] })),
  ...Object.entries(TICKETS).map(([name, products]) => combined(sources, { name, severity: 'ticket', products })),
];
