import { CloudFrontClient } from '@aws-sdk/client-cloudfront';
import { sdkTimeouts } from '../../providers/aws-timeouts.ts';
import { type CertificateCalls, createEdgeCertificates } from '../../providers/edge/certificates.ts';
import { callAws } from '../aws/client.ts';
import type { RemoteCell } from '../cells.ts';

/** CloudFront is a global service with its API in this region, and accepts certificates only from this region. */
const SETTINGS = { region: 'us-east-1' };

/** Certificate Manager in the account of a cell. */
export const certificateCalls =
  (cell?: RemoteCell): CertificateCalls =>
  (operation, input) =>
    callAws('acm', operation, input, { ...cell?.access, ...SETTINGS });

export const edgeCertificates = (cell?: RemoteCell) =>
  createEdgeCertificates(
    new CloudFrontClient({ ...sdkTimeouts(), ...cell?.access, ...SETTINGS }),
    certificateCalls(cell),
  );
