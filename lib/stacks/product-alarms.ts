import { type Alarm, METRIC_NAMESPACE, maximum, sum } from '../constructs/alarms.ts';
import type { Platform } from './platform-stack.ts';
import type { DomainsStack } from './registrar.ts';
import type { DeliveryStack } from './webhooks.ts';

/** Alarms on registrations and DNS. */
export function alarmsForDomains({ queueName, stage }: DomainsStack): Alarm[] {
  return [
    {
      name: 'domain-renewals-refused',
      metric: sum(METRIC_NAMESPACE, 'DomainTasksRefused', { stage, task: 'RENEW' }),
      threshold: 0,
      description: 'The registrar refused to renew a domain, so its owner may lose it.',
      runbookAnchor: 'domains-refused',
    },
    {
      name: 'domain-registrations-refused',
      metric: sum(METRIC_NAMESPACE, 'DomainTasksRefused', { stage, task: 'REGISTER' }),
      threshold: 5,
      description: 'The registrar refused more than 5 registrations within 5 minutes; the cause may be the platform.',
      runbookAnchor: 'domains-refused',
    },
    {
      name: 'domains-absent',
      metric: sum(METRIC_NAMESPACE, 'DomainsUnconfirmed', { stage, outcome: 'ABSENT' }),
      threshold: 0,
      description:
        'The registrar says that it has a registered domain no more. The domain ends after seven days of it.',
      runbookAnchor: 'domains-absent',
    },
    {
      name: 'domains-unknown',
      metric: sum(METRIC_NAMESPACE, 'DomainsUnconfirmed', { stage, outcome: 'UNKNOWN' }),
      threshold: 5,
      description: 'The registrar did not say of more than 5 domains within 5 minutes whether it has them.',
      runbookAnchor: 'domains-absent',
    },
    {
      name: 'dns-waiting',
      metric: maximum('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: queueName }),
      threshold: 100,
      periods: 2,
      description: 'DNS changes wait in the queue instead of reaching the name servers.',
      runbookAnchor: 'dns-behind',
    },
    {
      name: 'dns-refused',
      metric: sum(METRIC_NAMESPACE, 'ZoneSyncFailures', { stage }),
      threshold: 5,
      description: 'The name servers refuse the records of zones, or do not answer.',
      runbookAnchor: 'dns-behind',
    },
  ];
}

/** Alarms on webhook deliveries. */
export function alarmsForDelivery({ queueName, stage }: DeliveryStack): Alarm[] {
  return [
    {
      name: 'webhooks-waiting',
      metric: maximum('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: queueName }),
      threshold: 10_000,
      periods: 2,
      description: 'More than 10,000 webhook deliveries wait in the queue.',
      runbookAnchor: 'webhooks-behind',
    },
    {
      name: 'webhooks-overdue',
      metric: maximum(METRIC_NAMESPACE, 'WebhookOldestDue', { stage }),
      threshold: 300,
      description: 'A webhook delivery is more than 5 minutes late.',
      runbookAnchor: 'webhooks-behind',
    },
  ];
}

/** Alarms on the metrics of runtime/observability/hosting-metrics.ts. */
export function alarmsForHosting({ config }: Platform): Alarm[] {
  return [
    {
      name: 'hosting-problems',
      metric: sum(METRIC_NAMESPACE, 'HostingProblems', { stage: config.stage }),
      threshold: 5,
      description: 'A hosting server fails requests: accounts are not created, suspended or removed.',
      runbookAnchor: 'hosting-servers',
    },
  ];
}

/** Alarms on the metrics of runtime/observability/payment-metrics.ts. */
export function alarmsForPayments({ config }: Platform): Alarm[] {
  return [
    {
      name: 'card-disputes',
      metric: sum(METRIC_NAMESPACE, 'CardDisputes', { stage: config.stage }),
      threshold: 0,
      description: 'A card payment was disputed, or a dispute was decided.',
      runbookAnchor: 'card-disputes',
    },
  ];
}
