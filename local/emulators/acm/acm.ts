import * as z from 'zod';
import { openCallerAccounts } from '../accounts.ts';
import { createThrottle } from '../strict.ts';
import { type Emulator, type EmulatorOptions, jsonOperations, parse, ServiceError, serve } from '../wire.ts';

/** A certificate of an account, as ListCertificates shows it. */
export interface CertificateSummary {
  arn: string;
  domain: string;
  /** As in `aws acm list-certificates --certificate-statuses`. */
  status: string;
  /** True while a distribution tenant uses it. */
  inUse: boolean;
  /** Epoch milliseconds. */
  createdAt: number;
}

const List = z.object({
  MaxItems: z.number().int().min(1).max(1000).default(1000),
  NextToken: z.string().optional(),
  Includes: z
    .object({ keyTypes: z.array(z.string()).optional(), managedBy: z.literal('CLOUDFRONT').optional() })
    .optional(),
});
const Delete = z.object({ CertificateArn: z.string().min(20).max(2048) });

interface AcmOptions extends EmulatorOptions {
  /** Returns the certificates that CloudFront requested for an account's tenants. */
  certificatesOf: (account: string) => readonly CertificateSummary[];
  deleteCertificate: (arn: string) => void;
}

/**
 * Starts an emulator of AWS Certificate Manager for the certificates that the CloudFront emulator requested: ListCertificates and
 * DeleteCertificate. A certificate outlives its tenant, and cannot be deleted while a tenant uses it.
 */
export function startAcm(options: AcmOptions): Promise<Emulator> {
  const { dataDir, port, strict, certificatesOf, deleteCertificate } = options;
  const accountOf = openCallerAccounts(dataDir);
  const throttle = createThrottle(strict, () => new ServiceError('ThrottlingException', 'Rate exceeded'));
  return serve(port, 'application/x-amz-json-1.1', (request) =>
    jsonOperations({
      ListCertificates(body) {
        const { MaxItems, NextToken } = parse(List, body);
        const all = certificatesOf(accountOf(request));
        const from = Number(NextToken ?? 0);
        const end = from + MaxItems;
        return {
          CertificateSummaryList: all.slice(from, end).map(({ arn, domain, status, inUse, createdAt }) => ({
            CertificateArn: arn,
            DomainName: domain,
            Status: status,
            InUse: inUse,
            KeyAlgorithm: 'RSA-2048',
            ManagedBy: 'CLOUDFRONT',
            CreatedAt: Math.floor(createdAt / 1000),
          })),
          ...(end < all.length ? { NextToken: String(end) } : {}),
        };
      },
      DeleteCertificate(body) {
        throttle('acmDeleteRate');
        const { CertificateArn: arn } = parse(Delete, body);
        if (!/^arn:aws:acm:[\w-]+:\d+:certificate\//.test(arn))
          throw new ServiceError('InvalidArnException', `The Amazon Resource Name is not valid: ${arn}`);
        const certificate = certificatesOf(accountOf(request)).find((summary) => summary.arn === arn);
        if (!certificate) throw new ServiceError('ResourceNotFoundException', `Could not find certificate ${arn}.`);
        if (certificate.inUse) throw new ServiceError('ResourceInUseException', `Certificate ${arn} is in use.`);
        deleteCertificate(arn);
        return undefined;
      },
    })(request),
  );
}
