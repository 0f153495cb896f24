/**
 * The service levels that the platform promises, as data. Alarms, the CloudWatch dashboard and the documentation are derived from
 * them (lib/stacks/service-level-alarms.ts, docs/decisions/0049-service-levels.md). The platform must have caused a bad event: a
 * customer's mistake counts as a good event, or not at all.
 */

/** The measurement of the share of bad events in a period. */
export type Indicator =
  /** One metric counts the bad events, another counts all events. */
  | { kind: 'ratio'; bad: string; all: string }
  /** The metric has the duration of each event in milliseconds. A longer one is bad. */
  | { kind: 'within'; metric: string; ms: number }
  /** 1 for each good event, 0 for each bad one. */
  | { kind: 'success'; metric: string };

export interface ServiceLevel {
  /** The product whose alarms cover this service level. */
  product: Product;
  /** The promise, in words for operators. */
  promise: string;
  indicator: Indicator;
  /** The promised share of good events over 30 days. */
  objective: number;
  /** The smallest number of bad events in a window that raises an alarm, so that a single one in a quiet night does not. */
  minimumBad: number;
}

export const PRODUCTS = ['api', 'applications', 'ai', 'webhooks', 'deployments'] as const;
export type Product = (typeof PRODUCTS)[number];

export const SERVICE_LEVELS = {
  apiAvailability: {
    product: 'api',
    promise: 'a request to the API is not answered with a server error',
    indicator: { kind: 'ratio', bad: '5xx', all: 'Count' },
    objective: 0.999,
    minimumBad: 5,
  },
  apiLatency: {
    product: 'api',
    promise: 'a request to the API is answered within 2 seconds',
    indicator: { kind: 'within', metric: 'Latency', ms: 2000 },
    objective: 0.99,
    minimumBad: 10,
  },
  // The platform does not control the responses of customers' applications. It measures the page of its own synthetic check.
  applications: {
    product: 'applications',
    promise: 'a hosted page of the platform’s own is served at the edge',
    indicator: { kind: 'success', metric: 'CheckSuccess' },
    objective: 0.999,
    minimumBad: 3,
  },
  aiAvailability: {
    product: 'ai',
    promise: 'a call to the AI gateway does not crash',
    indicator: { kind: 'ratio', bad: 'Errors', all: 'Invocations' },
    objective: 0.999,
    minimumBad: 3,
  },
  aiFirstByte: {
    product: 'ai',
    promise: 'the first byte of an AI model’s answer arrives within 15 seconds',
    indicator: { kind: 'within', metric: 'FirstByte', ms: 15_000 },
    objective: 0.95,
    minimumBad: 10,
  },
  deliveryLag: {
    product: 'webhooks',
    promise: 'the first attempt at a webhook delivery is made within a minute of its event',
    indicator: { kind: 'within', metric: 'WebhookLag', ms: 60_000 },
    objective: 0.99,
    minimumBad: 10,
  },
  deployments: {
    product: 'deployments',
    promise: 'a deployment that its owner did not fail succeeds',
    indicator: { kind: 'success', metric: 'DeploymentSuccess' },
    objective: 0.99,
    minimumBad: 2,
  },
} as const satisfies Record<string, ServiceLevel>;

export type ServiceLevelName = keyof typeof SERVICE_LEVELS;

export type Severity = 'page' | 'ticket';

interface BurnRule {
  severity: Severity;
  /** The burn rate. At 1, the error budget is used up in exactly 30 days. */
  rate: number;
  /** The long window in seconds, over which the rate is significant. */
  long: number;
  /** The short window in seconds, which makes the alarm end soon after its cause. */
  short: number;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * Both windows of a rule must reach the rate. The numbers come from Google's workbook (https://sre.google/workbook/alerting-on-slos/,
 * "Multiwindow, Multi-Burn-Rate Alerts"): 2% of the budget in an hour, 5% in six hours, 10% in three days.
 */
export const BURN_RULES: readonly BurnRule[] = [
  { severity: 'page', rate: 14.4, long: HOUR, short: 5 * MINUTE },
  { severity: 'page', rate: 6, long: 6 * HOUR, short: 30 * MINUTE },
  { severity: 'ticket', rate: 1, long: 72 * HOUR, short: 6 * HOUR },
];
