import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { createDoors } from '../providers/edge/tenants.ts';
import { required } from './config.ts';

/** CloudFront is one for the whole world; its API is in this region. */
const client = new CloudFrontClient({ region: 'us-east-1', maxAttempts: 5 });

export const doors = createDoors(client, {
  distributionId: required('DOOR_DISTRIBUTION_ID'),
  connectionGroupId: required('DOOR_GROUP_ID'),
});
