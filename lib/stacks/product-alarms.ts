import { type Alarm, exceeding, METRIC_NAMESPACE, maximum, sum } from '../constructs/alarms.ts';
import type { Platform } from './platform-stack.ts';
import type { DomainsStack } from './registrar.ts';
import type { DeliveryStack } from './webhooks.ts';

/** Alarms on registrations and DNS. */
export function alarmsForDomains({ queueName, stage }: DomainsStack): Alarm[] {
  const refused = (task: string) => sum(METRIC_NAMESPACE, 'DomainTasksRefused', { stage, task });
  const unconfirmed = (outcome: string) => sum(METRIC_NAMESPACE, 'DomainsUnconfirmed', { stage, outcome });
  return [
    {
      name: 'domains-refused',
      severity: 'ticket',
      // A single refused renewal may lose the domain. A single refused registration is mostly caused by the order itself.
      metric: exceeding([refused('RENEW'), 0], [refused('REGISTER'), 5]),
      threshold: 0,
      description: 'The registrar refused to renew a domain, or more than 5 registrations within 5 minutes.',
      runbookAnchor: 'domains-refused',
    },
    {
      name: 'domains-absent',
      severity: 'ticket',
      metric: exceeding([unconfirmed('ABSENT'), 0], [unconfirmed('UNKNOWN'), 5]),
      threshold: 0,
      description:
        'The registrar reports that a registered domain does not exist (the registration ends after seven days of this), the registry refuses its name servers, or the registrar did not answer for more than 5 domains.',
      runbookAnchor: 'domains-absent',
    },
    {
      name: 'dns-behind',
      severity: 'ticket',
      metric: exceeding(
        [maximum('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: queueName }), 100],
        [sum(METRIC_NAMESPACE, 'ZoneSyncFailures', { stage }), 5],
      ),
      threshold: 0,
      periods: 2,
      description: 'DNS changes wait instead of reaching the name servers, or the name servers refuse them.',
      runbookAnchor: 'dns-behind',
    },
  ];
}

/** Alarms on webhook deliveries without a first attempt. The lag metric does not show them, because it is measured at the first attempt. */
export function alarmsForDelivery({ queueName, stage }: DeliveryStack): Alarm[] {
  return [
    {
      name: 'webhooks-overdue',
      severity: 'page',
      metric: exceeding(
        [maximum(METRIC_NAMESPACE, 'WebhookOldestDue', { stage }), 300],
        [maximum('AWS/SQS', 'ApproximateNumberOfMessagesVisible', { QueueName: queueName }), 10_000],
      ),
      threshold: 0,
      periods: 2,
      description: 'A webhook delivery is more than 5 minutes late, or more than 10,000 wait in the queue.',
      runbookAnchor: 'webhooks-behind',
    },
  ];
}

/** Alarms on the metrics of runtime/observability/hosting-metrics.ts. */
export function alarmsForHosting({ config }: Platform): Alarm[] {
  return [
    {
      name: 'hosting-problems',
      severity: 'ticket',
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
      severity: 'ticket',
      metric: sum(METRIC_NAMESPACE, 'CardDisputes', { stage: config.stage }),
      threshold: 0,
      description: 'A card payment was disputed, or a dispute was decided.',
      runbookAnchor: 'card-disputes',
    },
  ];
}
