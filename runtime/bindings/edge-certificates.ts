import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { type CertificateCalls, createEdgeCertificates } from '../../providers/edge/certificates.ts';
import { callAws } from '../aws/client.ts';
import type { RemoteCell } from '../cells.ts';

/** CloudFront is a global service with its API in this region, and takes certificates of this region only. */
const SETTINGS = { region: 'us-east-1' };

/** Certificate Manager of the account that a cell is in. */
export const certificateCalls =
  (cell?: RemoteCell): CertificateCalls =>
  (operation, input) =>
    callAws('acm', operation, input, { ...cell?.access, ...SETTINGS });

export const edgeCertificates = (cell?: RemoteCell) =>
  createEdgeCertificates(new CloudFrontClient({ ...cell?.access, ...SETTINGS }), certificateCalls(cell));
