import {
  type CloudFrontClient,
  CreateDistributionTenantCommand,
  DeleteDistributionTenantCommand,
  GetDistributionTenantCommand,
  GetManagedCertificateDetailsCommand,
  UpdateDistributionTenantCommand,
} from '@aws-sdk/client-cloudfront';
import { entryOf } from '../../contract/enums.ts';
import { isAwsError, tolerate } from '../aws-errors.ts';

/** The distribution tenant of one domain. */
export interface Tenant {
  id: string;
  /** Version of the settings (ETag), which every change must name. */
  version: string;
  enabled: boolean;
  /** True if all edge locations have the current settings. */
  deployed: boolean;
  /** True if CloudFront serves the tenant's domain. */
  active: boolean;
  /** The ARN of the attached certificate. */
  certificate: string | undefined;
}

export interface Certificate {
  status: 'PENDING' | 'ISSUED' | 'TIMED_OUT' | 'FAILED' | 'ENDED';
  arn: string | undefined;
}

/** `ELSEWHERE`: the domain does not point to CloudFront. `TAKEN`: another tenant has the domain. */
export type CreateTenantResult = 'MADE' | 'ELSEWHERE' | 'TAKEN';

/**
 * Creates and removes distribution tenants and their certificates. Tenants are identified by the names that the platform gives them.
 */
export interface DistributionTenants {
  /** Creates a tenant and requests its certificate. Idempotent. */
  create(name: string, host: string): Promise<CreateTenantResult>;
  find(name: string): Promise<Tenant | undefined>;
  /** Returns the certificate that the tenant requested last; undefined if there is none, such as after its deletion in ACM. */
  certificate(name: string): Promise<Certificate | undefined>;
  /** Attaches an issued certificate to a tenant. Throws if the tenant has changed in the meantime. */
  attachCertificate(tenant: Tenant, host: string, certificate: string): Promise<void>;
  /** Requests another certificate. Throws if the tenant has changed in the meantime. */
  reissueCertificate(tenant: Tenant, host: string): Promise<Exclude<CreateTenantResult, 'TAKEN'>>;
  /** Disables a tenant. It can be removed once all edge locations have that setting. */
  disable(tenant: Tenant, host: string): Promise<void>;
  /** Removes a tenant. @returns true if the tenant is gone, false if it cannot be removed yet */
  remove(tenant: Tenant): Promise<boolean>;
}

/** Returns true if CloudFront refused a domain that does not point to it: "Could not verify Domain Name ownership". */
const isNotPointingHere = (error: unknown): boolean =>
  isAwsError(error, 'InvalidArgument') && /ownership|not be pointing/i.test(error.message);

const STATUSES: Record<string, Certificate['status']> = {
  'pending-validation': 'PENDING',
  issued: 'ISSUED',
  'validation-timed-out': 'TIMED_OUT',
  failed: 'FAILED',
  // Certificates that were valid once.
  expired: 'ENDED',
  revoked: 'ENDED',
  inactive: 'ENDED',
};

/** Returns CloudFront's details of the certificate that a tenant requested last; undefined if there is none. @param tenant its name or id */
export async function readManagedCertificate(client: CloudFrontClient, tenant: string) {
  const command = new GetManagedCertificateDetailsCommand({ Identifier: tenant });
  return (await tolerate(client.send(command), { EntityNotFound: undefined }))?.ManagedCertificateDetails;
}

interface DistributionSettings {
  /** The multi-tenant distribution, and the connection group to whose endpoint domains point. */
  distributionId: string;
  connectionGroupId: string;
}

/**
 * CloudFront implementation: a multi-tenant distribution with one tenant per domain. CloudFront requests each certificate and validates it
 * over HTTP once the domain points to CloudFront.
 */
export function createDistributionTenants(
  client: CloudFrontClient,
  { distributionId, connectionGroupId }: DistributionSettings,
): DistributionTenants {
  const settingsOf = (host: string) => ({
    DistributionId: distributionId,
    ConnectionGroupId: connectionGroupId,
    Domains: [{ Domain: host }],
  });
  const certificateRequest = (host: string) => ({
    ManagedCertificateRequest: { ValidationTokenHost: 'cloudfront', PrimaryDomainName: host } as const,
  });
  /** Updates a tenant. Sends all settings each time, so that the result does not depend on how CloudFront treats omitted ones. */
  const update = (
    tenant: Tenant,
    host: string,
    change: { enabled?: boolean; certificate?: string; requestsCertificate?: true },
  ) => {
    const { enabled = tenant.enabled, certificate = tenant.certificate } = change;
    const settings = {
      Id: tenant.id,
      IfMatch: tenant.version,
      Enabled: enabled,
      ...settingsOf(host),
      ...(certificate ? { Customizations: { Certificate: { Arn: certificate } } } : {}),
      ...(change.requestsCertificate ? certificateRequest(host) : {}),
    };
    return client.send(new UpdateDistributionTenantCommand(settings));
  };

  const tenants: DistributionTenants = {
    async create(name, host) {
      try {
        const command = { Name: name, Enabled: true, ...settingsOf(host), ...certificateRequest(host) };
        await client.send(new CreateDistributionTenantCommand(command));
        return 'MADE';
      } catch (error) {
        if (isNotPointingHere(error)) return 'ELSEWHERE';
        // The tenant is ours if an earlier response was lost; otherwise the domain belongs to another tenant.
        if (!isAwsError(error, 'CNAMEAlreadyExists', 'EntityAlreadyExists')) throw error;
        return (await tenants.find(name)) ? 'MADE' : 'TAKEN';
      }
    },

    async find(name) {
      const command = new GetDistributionTenantCommand({ Identifier: name });
      const found = await tolerate(client.send(command), { EntityNotFound: undefined });
      if (!found) return undefined;
      const { Id: id, Enabled, Status, Domains = [], Customizations } = found.DistributionTenant ?? {};
      if (!id || !found.ETag) throw new Error(`CloudFront returned an incomplete tenant ${name}`);
      return {
        id,
        version: found.ETag,
        enabled: Enabled === true,
        deployed: Status === 'Deployed',
        active: Domains.length > 0 && Domains.every((domain) => domain.Status === 'active'),
        certificate: Customizations?.Certificate?.Arn,
      };
    },

    async certificate(name) {
      const details = await readManagedCertificate(client, name);
      if (!details) return undefined;
      return { status: entryOf(STATUSES, details.CertificateStatus ?? '') ?? 'PENDING', arn: details.CertificateArn };
    },

    async attachCertificate(tenant, host, certificate) {
      await update(tenant, host, { certificate });
    },

    async reissueCertificate(tenant, host) {
      try {
        await update(tenant, host, { requestsCertificate: true });
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
      const deletion = client.send(new DeleteDistributionTenantCommand({ Id: id, IfMatch: version })).then(() => true);
      const notYet = { ResourceNotDisabled: false, PreconditionFailed: false, InvalidIfMatchVersion: false };
      return await tolerate(deletion, { EntityNotFound: true, ...notYet });
    },
  };
  return tenants;
}
