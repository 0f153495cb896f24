import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/** How long logs are kept: long enough to look back at an incident of last season, not for ever. */
export const LOG_RETENTION = RetentionDays.THREE_MONTHS;
