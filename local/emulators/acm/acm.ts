import * as z from 'zod';
import { openCallerAccounts } from '../accounts.ts';
import { type Emulator, type EmulatorOptions, jsonOperations, parse, serve } from '../wire.ts';

/** A certificate of an account, as ListCertificates shows it. */
export interface CertificateSummary {
  arn: string;
  domain: string;
  /** As in `aws acm list-certificates --certificate-statuses`. */
  status: string;
  /** True while a tenant has it. */
  inUse: boolean;
  /** Epoch milliseconds. */
  createdAt: number;
}

const List = z.object({
  MaxItems: z.number().int().min(1).max(1000).default(1000),
  NextToken: z.string().optional(),
  Includes: z.object({ keyTypes: z.array(z.string()).optional() }).optional(),
});

interface AcmOptions extends EmulatorOptions {
  /** Returns the certificates of an account: those that CloudFront requested for its tenants. */
  certificatesOf: (account: string) => readonly CertificateSummary[];
}

/**
 * Starts an emulator of AWS Certificate Manager with the certificates that the emulator of CloudFront requested: ListCertificates. As on
 * AWS, a certificate stays when its tenant is deleted.
 */
export function startAcm({ dataDir, port, certificatesOf }: AcmOptions): Promise<Emulator> {
  const accountOf = openCallerAccounts(dataDir);
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
            CreatedAt: Math.floor(createdAt / 1000),
          })),
          ...(end < all.length ? { NextToken: String(end) } : {}),
        };
      },
    })(request),
  );
}
