import {
  type CloudFrontClient,
  CreateDistributionTenantCommand,
  DeleteDistributionTenantCommand,
  GetDistributionTenantCommand,
  GetManagedCertificateDetailsCommand,
  UpdateDistributionTenantCommand,
} from '@aws-sdk/client-cloudfront';

/** What lets the visitors of one domain in. */
export interface Tenant {
  id: string;
  /** Of its settings: a change names the one that it is about. */
  version: string;
  enabled: boolean;
  /** Whether all of the edge knows it as it is. */
  deployed: boolean;
  /** Whether its domain is answered for. */
  active: boolean;
  /** The ARN of the certificate that it uses. */
  certificate: string | undefined;
}

export interface Certificate {
  status: 'PENDING' | 'ISSUED' | 'TIMED_OUT' | 'FAILED' | 'ENDED';
  arn: string | undefined;
}

/** `ELSEWHERE`: the domain does not lead to us. `TAKEN`: somebody else's door is there. */
export type Made = 'MADE' | 'ELSEWHERE' | 'TAKEN';

/** Makes doors for domains at the edge and takes them away. Tenants are found by the names that we give them. */
export interface Doors {
  /** Makes a tenant and asks for its certificate. Making it again is making it once. */
  make(name: string, host: string): Promise<Made>;
  find(name: string): Promise<Tenant | undefined>;
  /** The certificate that was asked for. */
  certificate(name: string): Promise<Certificate | undefined>;
  /** Has a tenant use a certificate that was issued. Throws where the tenant was changed meanwhile. */
  use(tenant: Tenant, host: string, certificate: string): Promise<void>;
  /** Asks for a certificate anew. Throws where the tenant was changed meanwhile. */
  askAgain(tenant: Tenant, host: string): Promise<Exclude<Made, 'TAKEN'>>;
  /** A tenant is disabled first, and removed once all of the edge knows that. */
  disable(tenant: Tenant, host: string): Promise<void>;
  /** @returns whether it is gone; false while it cannot be removed yet */
  remove(tenant: Tenant): Promise<boolean>;
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : '');

/** CloudFront makes no tenant for a domain that does not lead to it: "Could not verify Domain Name ownership". */
const leadsElsewhere = (error: unknown): boolean =>
  error instanceof Error && error.name === 'InvalidArgument' && /ownership|not be pointing/i.test(error.message);

const STATUSES: Record<string, Certificate['status']> = {
  'pending-validation': 'PENDING',
  issued: 'ISSUED',
  'validation-timed-out': 'TIMED_OUT',
  failed: 'FAILED',
  // What was good once and is not any more.
  ...{ expired: 'ENDED', revoked: 'ENDED', inactive: 'ENDED' },
};

interface DoorSettings {
  /** The multi-tenant distribution, and the group whose endpoint domains lead to. */
  distributionId: string;
  connectionGroupId: string;
}

/**
 * CloudFront: a multi-tenant distribution with a tenant for each domain, whose certificate CloudFront asks for and proves by
 * itself (over HTTP) once the domain leads to it.
 */
export function createDoors(client: CloudFrontClient, { distributionId, connectionGroupId }: DoorSettings): Doors {
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
      ...{ Id: tenant.id, IfMatch: tenant.version, Enabled: enabled, ...wish(host) },
      ...(certificate ? { Customizations: { Certificate: { Arn: certificate } } } : {}),
      ...(change.ask ? request(host) : {}),
    };
    return client.send(new UpdateDistributionTenantCommand(settings));
  };

  const doors: Doors = {
    async make(name, host) {
      try {
        const command = { Name: name, Enabled: true, ...wish(host), ...request(host) };
        await client.send(new CreateDistributionTenantCommand(command));
        return 'MADE';
      } catch (error) {
        if (leadsElsewhere(error)) return 'ELSEWHERE';
        // Ours, from an earlier time whose answer was lost; or not ours.
        if (!['CNAMEAlreadyExists', 'EntityAlreadyExists'].includes(nameOf(error))) throw error;
        return (await doors.find(name)) ? 'MADE' : 'TAKEN';
      }
    },

    async find(name) {
      try {
        const found = await client.send(new GetDistributionTenantCommand({ Identifier: name }));
        const { Id: id, Enabled, Status, Domains = [], Customizations } = found.DistributionTenant ?? {};
        if (!id || !found.ETag) throw new Error(`CloudFront said nothing of the tenant ${name}`);
        return {
          ...{ id, version: found.ETag, enabled: Enabled === true, deployed: Status === 'Deployed' },
          active: Domains.length > 0 && Domains.every((each) => each.Status === 'active'),
          certificate: Customizations?.Certificate?.Arn,
        };
      } catch (error) {
        if (nameOf(error) === 'EntityNotFound') return undefined;
        throw error;
      }
    },

    async certificate(name) {
      try {
        const { ManagedCertificateDetails: details } = await client.send(
          new GetManagedCertificateDetailsCommand({ Identifier: name }),
        );
        const status = STATUSES[details?.CertificateStatus ?? ''];
        return status ? { status, arn: details?.CertificateArn } : undefined;
      } catch (error) {
        if (nameOf(error) === 'EntityNotFound') return undefined;
        throw error;
      }
    },

    async use(tenant, host, certificate) {
      await update(tenant, host, { certificate });
    },

    async askAgain(tenant, host) {
      try {
        await update(tenant, host, { ask: true });
        return 'MADE';
      } catch (error) {
        if (leadsElsewhere(error)) return 'ELSEWHERE';
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
        if (nameOf(error) === 'EntityNotFound') return true;
        if (['ResourceNotDisabled', 'PreconditionFailed', 'InvalidIfMatchVersion'].includes(nameOf(error)))
          return false;
        throw error;
      }
    },
  };
  return doors;
}
