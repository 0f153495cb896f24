import {
  type CloudFrontClient,
  CreateDistributionTenantCommand,
  DeleteDistributionTenantCommand,
  GetDistributionTenantCommand,
  GetManagedCertificateDetailsCommand,
  UpdateDistributionTenantCommand,
} from '@aws-sdk/client-cloudfront';
import { entryOf } from '../../contract/enums.ts';
import { isAwsError } from '../aws-errors.ts';

/** The distribution tenant of one domain. */
export interface Tenant {
  id: string;
  /** Of its settings: a change names the one that it is about. */
  version: string;
  enabled: boolean;
  /** True when the whole edge has the current settings. */
  deployed: boolean;
  /** True when CloudFront serves the tenant's domain. */
  active: boolean;
  /** The ARN of the certificate that it uses. */
  certificate: string | undefined;
}

export interface Certificate {
  status: 'PENDING' | 'ISSUED' | 'TIMED_OUT' | 'FAILED' | 'ENDED';
  arn: string | undefined;
}

/** `ELSEWHERE`: the domain does not point here. `TAKEN`: another tenant has the domain. */
export type CreateTenantResult = 'MADE' | 'ELSEWHERE' | 'TAKEN';

/**
 * Creates and removes distribution tenants, and their certificates. Tenants are found by the names that the platform
 * gives them.
 */
export interface DistributionTenants {
  /** Makes a tenant and asks for its certificate. Making it again is making it once. */
  create(name: string, host: string): Promise<CreateTenantResult>;
  find(name: string): Promise<Tenant | undefined>;
  /** The certificate that was asked for. */
  certificate(name: string): Promise<Certificate | undefined>;
  /** Has a tenant use a certificate that was issued. Throws where the tenant was changed meanwhile. */
  attachCertificate(tenant: Tenant, host: string, certificate: string): Promise<void>;
  /** Requests another certificate. Throws where the tenant changed meanwhile. */
  reissueCertificate(tenant: Tenant, host: string): Promise<Exclude<CreateTenantResult, 'TAKEN'>>;
  /** A tenant is disabled first, and removed once all of the edge knows that. */
  disable(tenant: Tenant, host: string): Promise<void>;
  /** @returns whether it is gone; false while it cannot be removed yet */
  remove(tenant: Tenant): Promise<boolean>;
}

/** CloudFront makes no tenant for a domain that does not lead to it: "Could not verify Domain Name ownership". */
const isNotPointingHere = (error: unknown): boolean =>
  isAwsError(error, 'InvalidArgument') && /ownership|not be pointing/i.test(error.message);

const STATUSES: Record<string, Certificate['status']> = {
  'pending-validation': 'PENDING',
  issued: 'ISSUED',
  'validation-timed-out': 'TIMED_OUT',
  failed: 'FAILED',
  // What was good once and is not any more.
  expired: 'ENDED',
  revoked: 'ENDED',
  inactive: 'ENDED',
};

/** Returns what CloudFront says of the certificate that a tenant, by its name or id, requested last; undefined without one. */
export async function readManagedCertificate(client: CloudFrontClient, tenant: string) {
  try {
    const command = new GetManagedCertificateDetailsCommand({ Identifier: tenant });
    return (await client.send(command)).ManagedCertificateDetails;
  } catch (error) {
    if (isAwsError(error, 'EntityNotFound')) return undefined;
    throw error;
  }
}

interface DistributionSettings {
  /** The multi-tenant distribution, and the group whose endpoint domains lead to. */
  distributionId: string;
  connectionGroupId: string;
}

/**
 * CloudFront: a multi-tenant distribution with a tenant per domain. CloudFront requests and validates each certificate
 * over HTTP once the domain points to it.
 */
export function createDistributionTenants(
  client: CloudFrontClient,
  { distributionId, connectionGroupId }: DistributionSettings,
): DistributionTenants {
  const wish = (host: string) => ({
    DistributionId: distributionId,
    ConnectionGroupId: connectionGroupId,
    Domains: [{ Domain: host }],
  });
  const request = (host: string) => ({
    ManagedCertificateRequest: { ValidationTokenHost: 'cloudfront', PrimaryDomainName: host } as const,
  });
  /** All of a tenant's settings each time: nothing is left to what CloudFront makes of those that are not given. */
  const update = (tenant: Tenant, host: string, change: { enabled?: boolean; certificate?: string; ask?: true }) => {
    const { enabled = tenant.enabled, certificate = tenant.certificate } = change;
    const settings = {
      Id: tenant.id,
      IfMatch: tenant.version,
      Enabled: enabled,
      ...wish(host),
      ...(certificate ? { Customizations: { Certificate: { Arn: certificate } } } : {}),
      ...(change.ask ? request(host) : {}),
    };
    return client.send(new UpdateDistributionTenantCommand(settings));
  };

  const tenants: DistributionTenants = {
    async create(name, host) {
      try {
        const command = { Name: name, Enabled: true, ...wish(host), ...request(host) };
        await client.send(new CreateDistributionTenantCommand(command));
        return 'MADE';
      } catch (error) {
        if (isNotPointingHere(error)) return 'ELSEWHERE';
        // Ours, from an earlier time whose answer was lost; or not ours.
        if (!isAwsError(error, 'CNAMEAlreadyExists', 'EntityAlreadyExists')) throw error;
        return (await tenants.find(name)) ? 'MADE' : 'TAKEN';
      }
    },

    async find(name) {
      try {
        const found = await client.send(new GetDistributionTenantCommand({ Identifier: name }));
        const { Id: id, Enabled, Status, Domains = [], Customizations } = found.DistributionTenant ?? {};
        if (!id || !found.ETag) throw new Error(`CloudFront said nothing of the tenant ${name}`);
        return {
          id,
          version: found.ETag,
          enabled: Enabled === true,
          deployed: Status === 'Deployed',
          active: Domains.length > 0 && Domains.every((each) => each.Status === 'active'),
          certificate: Customizations?.Certificate?.Arn,
        };
      } catch (error) {
        if (isAwsError(error, 'EntityNotFound')) return undefined;
        throw error;
      }
    },

    async certificate(name) {
      const details = await readManagedCertificate(client, name);
      const status = entryOf(STATUSES, details?.CertificateStatus ?? '');
      return status ? { status, arn: details?.CertificateArn } : undefined;
    },

    async attachCertificate(tenant, host, certificate) {
      await update(tenant, host, { certificate });
    },

    async reissueCertificate(tenant, host) {
      try {
        await update(tenant, host, { ask: true });
        return 'MADE';
      } catch (error) {
        if (isNotPointingHere(error)) return 'ELSEWHERE';
        throw error;
      }
    },

    async disable(tenant, host) {
      await update(tenant, host, { enabled: false });
    },

    async remove({ id, version }) {
      try {
        await client.send(new DeleteDistributionTenantCommand({ Id: id, IfMatch: version }));
        return true;
      } catch (error) {
        if (isAwsError(error, 'EntityNotFound')) return true;
        if (isAwsError(error, 'ResourceNotDisabled', 'PreconditionFailed', 'InvalidIfMatchVersion')) return false;
        throw error;
      }
    },
  };
  return tenants;
}
