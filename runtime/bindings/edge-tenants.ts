import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { sdkTimeouts } from '../../providers/aws-timeouts.ts';
import { createDistributionTenants } from '../../providers/edge/tenants.ts';
import type { RemoteCell } from '../cells.ts';
import { required } from '../config.ts';

/** CloudFront is a global service with its API in this region. */
const SETTINGS = { region: 'us-east-1', maxAttempts: 5 };

export const edgeTenants = (cell?: RemoteCell) =>
  createDistributionTenants(
    new CloudFrontClient({ ...sdkTimeouts(), ...SETTINGS, ...(cell ? { credentials: cell.access.credentials } : {}) }),
    {
      distributionId: cell?.tenantDistributionId ?? required('TENANT_DISTRIBUTION_ID'),
      connectionGroupId: cell?.connectionGroupId ?? required('CONNECTION_GROUP_ID'),
    },
  );
