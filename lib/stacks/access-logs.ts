import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnDelivery, CfnDeliveryDestination, CfnDeliverySource } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Duration, Validations } from 'aws-cdk-lib/core';
import { ACCESS_LOG_DAYS, ACCESS_LOG_FIELDS } from '../constructs/logs.ts';
import { PRIVATE_BUCKET } from '../constructs/private-bucket.ts';
import { dataRemoval } from '../constructs/retention.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

/** CloudFront's logs can be configured only in this region. */
const LOGS_REGION = 'us-east-1';

/**
 * Access logs of the platform and of hosted applications, to trace abuse. Only the edge knows the addresses of callers, because API Gateway and
 * functions see the edge's address. CloudFront delivers the logs as standard logs (v2), without an extra charge
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/standard-logging.html).
 */
export class AccessLogsStack extends PlatformStack {
  /** @param distributionIds ids of distributions by the folder of their logs */
  constructor(platform: Platform, distributionIds: Record<string, string>) {
    super(platform, 'access-logs', 'Access logs of the platform and of applications', LOGS_REGION);
    const { config, names } = platform;
    const bucket = new Bucket(this, 'Logs', {
      bucketName: names.accessLogs.name,
      ...PRIVATE_BUCKET,
      removalPolicy: dataRemoval(config),
      lifecycleRules: [{ expiration: Duration.days(ACCESS_LOG_DAYS) }],
    });
    Validations.of(bucket).acknowledge({ id: 'AwsSolutions-S1', reason: 'it receives logs itself' });
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AWS-logs-infrastructure-V2-S3.html
    bucket.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('delivery.logs.amazonaws.com')],
        actions: ['s3:PutObject'],
        resources: [`${names.accessLogs.arn}/*`],
        conditions: {
          StringEquals: { 's3:x-amz-acl': 'bucket-owner-full-control', 'aws:SourceAccount': this.account },
          ArnLike: { 'aws:SourceArn': `arn:aws:logs:${LOGS_REGION}:${this.account}:delivery-source:*` },
        },
      }),
    );
    const destination = new CfnDeliveryDestination(this, 'Destination', {
      name: names.global('access-logs'),
      destinationResourceArn: names.accessLogs.arn,
      outputFormat: 'json',
    });
    destination.node.addDependency(bucket);
    let previous: CfnDelivery | undefined;
    for (const [id, distributionId] of Object.entries(distributionIds)) {
      const source = new CfnDeliverySource(this, `Source-${id}`, {
        name: names.global(`access-${id}`),
        logType: 'ACCESS_LOGS',
        resourceArn: names.distribution(distributionId),
      });
      const delivery = new CfnDelivery(this, `Delivery-${id}`, {
        deliverySourceName: source.name,
        deliveryDestinationArn: destination.attrArn,
        recordFields: [...ACCESS_LOG_FIELDS],
        s3SuffixPath: `${id}/{yyyy}/{MM}/{dd}/{HH}`,
      });
      delivery.addResourceDependency(source);
      // In sequence, because CloudWatch Logs refuses concurrent changes of deliveries to the same destination.
      if (previous) source.addResourceDependency(previous);
      previous = delivery;
    }
  }
}
