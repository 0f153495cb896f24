import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** Retention of logs: long enough to investigate an incident of the previous quarter. */
export const LOG_RETENTION = RetentionDays.THREE_MONTHS;
