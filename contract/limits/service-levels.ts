/**
 * The platform's promises to its users, as data: alarms, the CloudWatch dashboard and the documentation follow from it
 * (lib/stacks/service-level-alarms.ts, docs/decisions/0049-service-levels.md). A bad event is one that the platform caused:
 * what customers do wrong is either no event or a good one.
 */

/** The count of the bad events among all events of a period. */
export type Indicator =
  /** Events of one metric among those of another. */
  | { kind: 'ratio'; bad: string; all: string }
  /** A duration for each event, in milliseconds: bad is what took longer. */
  | { kind: 'within'; metric: string; ms: number }
  /** 1 for each good event, 0 for each bad one. */
  | { kind: 'success'; metric: string };

export interface ServiceLevel {
  /** The product whose alarms it belongs to. */
  product: Product;
  /** The promise, as operators read it. */
  promise: string;
  indicator: Indicator;
  /** The share of good events that is promised, over 30 days. */
  objective: number;
  /** Fewer bad events than this in a window are no alarm, so that one bad event of a quiet night is none. */
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
  // Responses of customers’ applications are their own: the platform's is the page of its synthetic check.
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
  /** Multiple of the rate at which exactly the error budget of 30 days is used up. */
  rate: number;
  /** Seconds. Over this window the rate is significant. */
  long: number;
  /** Seconds. In this window it still lasts, so that the alarm ends soon after its cause. */
  short: number;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

/**
 * Both windows of a rule must burn. The numbers are those of Google's workbook (https://sre.google/workbook/alerting-on-slos/,
 * "Multiwindow, Multi-Burn-Rate Alerts"): 2% of the budget in an hour, 5% in six hours, 10% in three days.
 */
export const BURN_RULES: readonly BurnRule[] = [
  { severity: 'page', rate: 14.4, long: HOUR, short: 5 * MINUTE },
  { severity: 'page', rate: 6, long: 6 * HOUR, short: 30 * MINUTE },
  { severity: 'ticket', rate: 1, long: 72 * HOUR, short: 6 * HOUR },
];
