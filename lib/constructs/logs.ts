import { CfnAccountPolicy, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';

/** Retention of logs: long enough to investigate an incident of the previous quarter. */
export const LOG_RETENTION = RetentionDays.THREE_MONTHS;

/** Days until access logs of the edge are deleted. They contain visitors' addresses, so they are kept only as long as abuse reports take. */
export const ACCESS_LOG_DAYS = 90;

/**
 * Fields of an access log. They identify the caller and the request; the port is needed because providers share an address between customers.
 * Queries, cookies, referrers and user agents are left out, because they reveal more about visitors than an investigation needs.
 */
export const ACCESS_LOG_FIELDS = [
  'date',
  'time',
  'c-ip',
  'c-port',
  'cs-method',
  'x-host-header',
  'cs-uri-stem',
  'sc-status',
  'cs-bytes',
  'sc-bytes',
  'x-edge-request-id',
];

/**
 * Prevents CloudWatch from extracting metrics from log groups into which others than the platform write. Otherwise any line in the embedded
 * metric format would create a metric that is billed, under any name, even that of a metric with an alarm. An account may have five such
 * policies in a region, including those of other installations, and their prefixes must not overlap
 * (https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutAccountPolicy.html).
 * @param prefixes prefixes of the log groups' names
 */
export const ignoreEmbeddedMetrics = (scope: Construct, policyName: string, prefixes: readonly string[]) =>
  new CfnAccountPolicy(scope, 'NoEmbeddedMetrics', {
    policyName,
    policyType: 'METRIC_EXTRACTION_POLICY',
    policyDocument: JSON.stringify({ EmbeddedMetricFormat: { Status: 'Disabled' } }),
    scope: 'ALL',
    selectionCriteria: `LogGroupNamePrefix IN [${prefixes.map((prefix) => `"${prefix}"`).join(', ')}]`,
  });
