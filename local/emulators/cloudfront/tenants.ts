import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { ACCOUNT } from '../../addresses.ts';
import type { CertificateSummary } from '../acm/acm.ts';
import type { State } from '../state.ts';
import { ServiceError } from '../wire.ts';

const Tenant = z.object({
  id: z.string(),
  /** The tenant's account. */
  account: z.string().default(ACCOUNT),
  name: z.string(),
  distributionId: z.string(),
  connectionGroupId: z.string(),
  domain: z.string(),
  enabled: z.boolean(),
  /** ARN of the attached certificate. */
  certificate: z.string().optional(),
  changedAt: z.number(),
  version: z.number(),
  /** The managed certificate that the tenant requested last. */
  asked: z.object({ arn: z.string(), at: z.number() }).optional(),
});
export type Tenant = z.output<typeof Tenant>;
/** A requested certificate. It outlives its tenant, and the list includes certificates whose validation failed. */
const Certificate = z.object({ arn: z.string(), account: z.string(), domain: z.string(), at: z.number() });
export const TenantsState = z.object({
  tenants: z.array(Tenant),
  certificates: z.array(Certificate).default([]),
});

/** The part of the input of CreateDistributionTenant and UpdateDistributionTenant that the emulator uses. */
export const TenantInput = z.object({
  DistributionId: z.string().default(''),
  ConnectionGroupId: z.string().default(''),
  Name: z.string().default(''),
  Domains: z.object({ member: z.array(z.object({ Domain: z.string() })) }).optional(),
  Enabled: z.enum(['true', 'false']).optional(),
  Customizations: z.object({ Certificate: z.object({ Arn: z.string() }).optional() }).optional(),
  ManagedCertificateRequest: z.object({ ValidationTokenHost: z.string() }).optional(),
});
type TenantInput = z.output<typeof TenantInput>;

export interface TenantSettings {
  /** Returns true if a domain's DNS points to the connection group of an account. */
  pointsHere: (domain: string, account: string) => boolean;
  /** Milliseconds until a change is deployed. */
  deployFor: number;
  /** Milliseconds until a certificate is issued. */
  issueAfter: number;
}

/** Faults by the prefix of the domain, like test card numbers. */
const TAKEN = /^taken-/;
const CERTIFICATE_FAULTS: readonly (readonly [prefix: RegExp, status: string])[] = [
  [/^refused-/, 'failed'],
  [/^silent-/, 'validation-timed-out'],
];
/** Additional delay for domains with the prefix `slow-`. */
const SLOW_ISSUANCE_MS = 10_000;

const newArn = (account: string) => `arn:aws:acm:us-east-1:${account}:certificate/${randomBytes(16).toString('hex')}`;

/** Returns the domain of a request. Throws for names that CloudFront refuses. */
function domainOf({ Domains }: TenantInput): string {
  const domain = Domains?.member[0]?.Domain.toLowerCase() ?? '';
  if (/^([a-z0-9_-]{1,63}\.)+[a-z0-9-]{2,63}$/.test(domain)) return domain;
  throw new ServiceError('InvalidArgument', 'The provided Domain Name is not valid.');
}

/** The tenants of all accounts and their managed certificates, with CloudFront's rules. */
export class Tenants {
  readonly #state: State<z.output<typeof TenantsState>>;
  readonly #settings: TenantSettings;

  constructor(state: State<z.output<typeof TenantsState>>, settings: TenantSettings) {
    this.#state = state;
    this.#settings = settings;
  }

  /** Finds a tenant of an account by its id or name. */
  find(identifier: string, account: string): Tenant {
    return this.#findBy(({ id, name }) => id === identifier || name === identifier, account);
  }

  findByDomain(host: string | null, account: string): Tenant {
    return this.#findBy(({ domain }) => domain === host, account);
  }

  #findBy(isWanted: (tenant: Tenant) => boolean, account: string): Tenant {
    const tenant = this.#state.value.tenants.find((each) => each.account === account && isWanted(each));
    if (!tenant) throw new ServiceError('EntityNotFound', 'The entity was not found.', 404);
    return tenant;
  }

  create(input: TenantInput, account: string): Tenant {
    const { tenants } = this.#state.value;
    const { Name: name } = input;
    const domain = domainOf(input);
    if (!/^[a-z0-9][a-z0-9.-]{1,126}[a-z0-9]$/i.test(name))
      throw new ServiceError('InvalidArgument', 'The name is not valid.');
    if (TAKEN.test(domain) || tenants.some((each) => each.domain === domain)) {
      const message = 'One or more of the CNAMEs you provided are already associated with a different resource.';
      throw new ServiceError('CNAMEAlreadyExists', message, 409);
    }
    if (tenants.some((each) => each.account === account && each.name === name))
      throw new ServiceError('EntityAlreadyExists', 'The entity already exists.', 409);
    const certificate = this.#requestCertificate(input, domain, account);
    const tenant: Tenant = {
      id: `dt_${randomBytes(13).toString('hex')}`,
      account,
      name,
      domain,
      enabled: input.Enabled !== 'false',
      distributionId: input.DistributionId,
      connectionGroupId: input.ConnectionGroupId,
      changedAt: Date.now(),
      version: 1,
      ...(certificate ? { asked: certificate } : {}),
    };
    tenants.push(tenant);
    this.#state.save();
    return tenant;
  }

  /** Updates the fields that the request contains. */
  update(tenant: Tenant, input: TenantInput): void {
    const arn = input.Customizations?.Certificate?.Arn;
    if (arn && !(arn === tenant.asked?.arn && this.certificateStatus(tenant.domain, tenant.asked.at) === 'issued'))
      throw new ServiceError('InvalidArgument', 'The certificate does not exist, or is not issued.');
    const newRequest = this.#requestCertificate(input, tenant.domain, tenant.account);
    const { Enabled: enabled } = input;
    Object.assign(tenant, {
      ...(enabled ? { enabled: enabled === 'true' } : {}),
      ...(arn ? { certificate: arn } : {}),
      ...(newRequest ? { asked: newRequest } : {}),
      changedAt: Date.now(),
      version: tenant.version + 1,
    });
    this.#state.save();
  }

  remove(tenant: Tenant): void {
    if (tenant.enabled || !this.isDeployed(tenant))
      throw new ServiceError(
        'ResourceNotDisabled',
        'The specified CloudFront resource has not been disabled yet.',
        409,
      );
    const { tenants } = this.#state.value;
    tenants.splice(tenants.indexOf(tenant), 1);
    this.#state.save();
  }

  isDeployed({ changedAt }: Tenant): boolean {
    return Date.now() - changedAt >= this.#settings.deployFor;
  }

  /** Returns the status of a certificate in CloudFront's notation. @param requestedAt milliseconds since the epoch */
  certificateStatus(domain: string, requestedAt: number): string {
    const [, finalStatus = 'issued'] = CERTIFICATE_FAULTS.find(([prefix]) => prefix.test(domain)) ?? [];
    const duration = this.#settings.issueAfter + (domain.startsWith('slow-') ? SLOW_ISSUANCE_MS : 0);
    return Date.now() - requestedAt < duration ? 'pending-validation' : finalStatus;
  }

  /** Returns the certificates that ACM has for an account. */
  certificatesOf(account: string): CertificateSummary[] {
    const { tenants, certificates } = this.#state.value;
    return certificates
      .filter((each) => each.account === account)
      .map(({ arn, domain, at }) => ({
        arn,
        domain,
        status: this.certificateStatus(domain, at).toUpperCase().replaceAll('-', '_'),
        inUse: tenants.some((tenant) => tenant.certificate === arn),
        createdAt: at,
      }));
  }

  /** Deletes a certificate that no tenant uses. */
  deleteCertificate(arn: string): void {
    const { tenants, certificates } = this.#state.value;
    for (const tenant of tenants) if (tenant.asked?.arn === arn) delete tenant.asked;
    const index = certificates.findIndex((certificate) => certificate.arn === arn);
    if (index >= 0) certificates.splice(index, 1);
    this.#state.save();
  }

  /** Requests a managed certificate if the request contains one. The caller saves the state. */
  #requestCertificate(
    { ManagedCertificateRequest: request }: TenantInput,
    domain: string,
    account: string,
  ): Tenant['asked'] {
    if (request === undefined) return undefined;
    if (request.ValidationTokenHost === 'cloudfront') this.#assertPointsHere(domain, account);
    const requested = { arn: newArn(account), at: Date.now() };
    this.#state.value.certificates.push({ ...requested, account, domain });
    return requested;
  }

  #assertPointsHere(domain: string, account: string): void {
    if (this.#settings.pointsHere(domain, account)) return;
    const reason = 'Could not verify Domain Name ownership. It may not be pointing to a valid CloudFront resource.';
    throw new ServiceError('InvalidArgument', `The provided Domain Name is not valid. ${reason}`);
  }
}
