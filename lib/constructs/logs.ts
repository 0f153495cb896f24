import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** Retention of logs: long enough to investigate an incident of the previous quarter. */
export const LOG_RETENTION = RetentionDays.THREE_MONTHS;

/** Days until access logs of the edge are deleted. They hold addresses of visitors: no longer than abuse takes to be reported. */
export const ACCESS_LOG_DAYS = 90;

/**
 * Fields of an access log: what identifies a caller (the port too, behind which providers share an address), and what was
 * called. Queries, cookies, referrers and user agents are left out: they say more of visitors than an investigation needs.
 */
export const ACCESS_LOG_FIELDS = [
  ...(['date', 'time', 'c-ip', 'c-port', 'cs-method', 'x-host-header', 'cs-uri-stem'] as const),
  ...(['sc-status', 'cs-bytes', 'sc-bytes', 'x-edge-request-id'] as const),
];
