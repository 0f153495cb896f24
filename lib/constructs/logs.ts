import { CfnAccountPolicy, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

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

/**
 * Has CloudWatch make no metrics of what is written into log groups: it would read them out of any line that is a document of
 * the embedded metric format, each at a price, under whatever name the line says, an alarm's too. For logs into which others
 * than the platform write. An account has five such policies in a region, of any installation, and no prefix of one may begin
 * with that of another (https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutAccountPolicy.html).
 * @param prefixes of the names of the log groups
 */
export const ignoreEmbeddedMetrics = (scope: Construct, policyName: string, prefixes: readonly string[]) =>
  new CfnAccountPolicy(scope, 'NoEmbeddedMetrics', {
    policyName,
    policyType: 'METRIC_EXTRACTION_POLICY',
    policyDocument: JSON.stringify({ EmbeddedMetricFormat: { Status: 'Disabled' } }),
    scope: 'ALL',
    selectionCriteria: `LogGroupNamePrefix IN [${prefixes.map((prefix) => `"${prefix}"`).join(', ')}]`,
  });
