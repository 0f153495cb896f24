import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { createDistributionTenants } from '../../providers/edge/tenants.ts';
import { required } from '../config.ts';

/** CloudFront is a global service with its API in this region. */
const client = new CloudFrontClient({ region: 'us-east-1', maxAttempts: 5 });

export const distributionTenants = createDistributionTenants(client, {
  distributionId: required('TENANT_DISTRIBUTION_ID'),
  connectionGroupId: required('CONNECTION_GROUP_ID'),
});
