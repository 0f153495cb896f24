import { type CloudFrontClient, GetDistributionTenantByDomainCommand } from '@aws-sdk/client-cloudfront';
import { tolerate } from '../aws-errors.ts';
import { readManagedCertificate } from './tenants.ts';

/** Calls an operation of AWS Certificate Manager (ACM) in the region of CloudFront's certificates. */
export type CertificateCalls = <Output>(operation: string, input: object) => Promise<Output>;

/** The part of a certificate in ListCertificates that the platform reads. */
interface CertificateSummary {
  CertificateArn?: string;
  DomainName?: string;
  InUse?: boolean;
  ManagedBy?: string;
  /** Epoch seconds. */
  CreatedAt?: number;
}

/** All of ACM's key types. By default ACM lists only certificates with RSA keys of up to 2,048 bits. */
const KEY_TYPES = 'RSA_1024 RSA_2048 RSA_3072 RSA_4096 EC_prime256v1 EC_secp384r1 EC_secp521r1'.split(' ');

/** Lists the account's certificates in pages of a thousand. */
export async function* listCertificates(call: CertificateCalls): AsyncGenerator<CertificateSummary> {
  let NextToken: string | undefined;
  do {
    const page = await call<{ CertificateSummaryList?: CertificateSummary[]; NextToken?: string }>('ListCertificates', {
      MaxItems: 1000,
      Includes: { keyTypes: KEY_TYPES },
      NextToken,
    });
    yield* page.CertificateSummaryList ?? [];
    NextToken = page.NextToken;
  } while (NextToken !== undefined);
}

/** A certificate that CloudFront requested for a tenant, and that no tenant uses. */
export interface UnusedCertificate {
  arn: string;
  domain: string;
}

/** The certificates of distribution tenants, including those whose tenant no longer uses them or no longer exists. */
export interface EdgeCertificates {
  /** Returns the unused certificates that CloudFront requested before a time, issued or not. */
  listUnused(before: Date): Promise<UnusedCertificate[]>;
  /** Returns true while a tenant of the domain may still come to use the certificate: until CloudFront names only other certificates for it. */
  isAwaited(certificate: UnusedCertificate): Promise<boolean>;
  /** Deletes a certificate. May be repeated. @returns false if the certificate is in use by now */
  delete(arn: string): Promise<boolean>;
}

/**
 * ACM keeps a certificate that CloudFront requested even after its tenant is deleted or has requested another one: "You own the certificate"
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/managed-cloudfront-certificates.html).
 */
export function createEdgeCertificates(client: CloudFrontClient, call: CertificateCalls): EdgeCertificates {
  async function findTenantByDomain(domain: string) {
    const command = new GetDistributionTenantByDomainCommand({ Domain: domain });
    const found = await tolerate(client.send(command), { EntityNotFound: undefined });
    if (!found) return undefined;
    const { Id: id, Customizations } = found.DistributionTenant ?? {};
    if (!id) throw new Error(`CloudFront returned no tenant id for ${domain}`);
    return { id, certificate: Customizations?.Certificate?.Arn };
  }

  return {
    async listUnused(before) {
      const unused: UnusedCertificate[] = [];
      for await (const { CertificateArn: arn, DomainName: domain, ...summary } of listCertificates(call)) {
        const { InUse, ManagedBy, CreatedAt = Number.POSITIVE_INFINITY } = summary;
        if (arn && domain && InUse === false && ManagedBy === 'CLOUDFRONT' && CreatedAt * 1000 < before.getTime())
          unused.push({ arn, domain });
      }
      return unused;
    },

    async isAwaited({ arn, domain }) {
      const tenant = await findTenantByDomain(domain);
      if (!tenant) return false;
      const requested = (await readManagedCertificate(client, tenant.id))?.CertificateArn;
      const named = [tenant.certificate, requested].filter((certificate) => certificate !== undefined);
      return named.length === 0 || named.includes(arn);
    },

    async delete(arn) {
      const deletion = call('DeleteCertificate', { CertificateArn: arn }).then(() => true);
      return await tolerate(deletion, { ResourceNotFoundException: true, ResourceInUseException: false });
    },
  };
}
