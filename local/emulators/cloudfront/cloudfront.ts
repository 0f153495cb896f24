import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { ACCOUNT } from '../../addresses.ts';
import { openCallerAccounts } from '../accounts.ts';
import type { CertificateSummary } from '../acm/acm.ts';
import { openState } from '../state.ts';
import { type Emulator, type EmulatorOptions, ServiceError, type WireRequest } from '../wire.ts';
import { parseXml, serveXml, type XmlResponse } from '../xml.ts';

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
type Tenant = z.output<typeof Tenant>;
/** A requested certificate. It outlives its tenant, and the list includes certificates whose validation failed. */
const Certificate = z.object({ arn: z.string(), account: z.string(), domain: z.string(), at: z.number() });
const State = z.object({ tenants: z.array(Tenant), certificates: z.array(Certificate).default([]) });

export interface CloudFront extends Emulator {
  /** Returns the certificates that ACM has for an account. */
  certificatesOf(account: string): CertificateSummary[];
  /** Deletes a certificate that no tenant uses. */
  deleteCertificate(arn: string): void;
}

/** The part of the input of CreateDistributionTenant and UpdateDistributionTenant that the emulator uses. */
const TenantInput = z.object({
  DistributionId: z.string().default(''),
  ConnectionGroupId: z.string().default(''),
  Name: z.string().default(''),
  Domains: z.object({ member: z.array(z.object({ Domain: z.string() })) }).optional(),
  Enabled: z.enum(['true', 'false']).optional(),
  Customizations: z.object({ Certificate: z.object({ Arn: z.string() }).optional() }).optional(),
  ManagedCertificateRequest: z.object({ ValidationTokenHost: z.string() }).optional(),
});
type TenantInput = z.output<typeof TenantInput>;

interface CloudFrontOptions extends EmulatorOptions {
  /** Returns true if a domain's DNS points to the connection group of an account. */
  pointsHere: (domain: string, account: string) => boolean;
  /** Milliseconds until a change is deployed. */
  deployFor?: number;
  /** Milliseconds until a certificate is issued. */
  issueAfter?: number;
}

/** Faults by the prefix of the domain, like test card numbers. */
const TAKEN = /^taken-/;
const CERTIFICATE_FAULTS: readonly (readonly [prefix: RegExp, status: string])[] = [
  [/^refused-/, 'failed'],
  [/^silent-/, 'validation-timed-out'],
];
/** Additional delay for domains with the prefix `slow-`. */
const SLOW_ISSUANCE_MS = 10_000;

const API = '/2020-05-31/';
const NAMESPACE = 'http://cloudfront.amazonaws.com/doc/2020-05-31/';

const etag = ({ id, version }: Tenant): string => `E${id.slice(3, 12).toUpperCase()}${version}`;
const newArn = (account: string) => `arn:aws:acm:us-east-1:${account}:certificate/${randomBytes(16).toString('hex')}`;

/**
 * Starts an emulator of Amazon CloudFront, limited to the tenants of a multi-tenant distribution and their managed
 * certificates, with its XML REST protocol. As on AWS, a tenant's domain must point here, a tenant must be disabled
 * before it is deleted, and a certificate takes effect once it is attached to the tenant.
 */
export async function startCloudFront({
  dataDir,
  port,
  pointsHere,
  deployFor = 500,
  issueAfter = 1000,
}: CloudFrontOptions): Promise<CloudFront> {
  const state = openState(join(dataDir, 'cloudfront.json'), State, { tenants: [], certificates: [] });
  const { tenants, certificates } = state.value;
  const accountOf = openCallerAccounts(dataDir);

  const find = (identifier: string, caller: string): Tenant => {
    const tenant = tenants.find(
      ({ id, name, account }) => account === caller && (id === identifier || name === identifier),
    );
    if (!tenant) throw new ServiceError('EntityNotFound', 'The entity was not found.', 404);
    return tenant;
  };
  const isDeployed = ({ changedAt }: Tenant) => Date.now() - changedAt >= deployFor;

  const describeTenant = (tenant: Tenant, status = 200): XmlResponse => {
    const { id, name, domain, certificate, enabled } = tenant;
    const active = enabled && certificate !== undefined && isDeployed(tenant);
    const content = {
      Id: id,
      DistributionId: tenant.distributionId,
      Name: name,
      Arn: `arn:aws:cloudfront::${tenant.account}:distribution-tenant/${id}`,
      Domains: { member: [{ Domain: domain, Status: active ? 'active' : 'inactive' }] },
      ...(certificate ? { Customizations: { Certificate: { Arn: certificate } } } : {}),
      ConnectionGroupId: tenant.connectionGroupId,
      LastModifiedTime: new Date(tenant.changedAt).toISOString(),
      Enabled: enabled,
      Status: isDeployed(tenant) ? 'Deployed' : 'InProgress',
    };
    return { status, headers: { etag: etag(tenant) }, document: ['DistributionTenant', content] };
  };

  /** Returns the domain of a request. Throws for names that CloudFront refuses. */
  function domainOf({ Domains }: TenantInput): string {
    const domain = Domains?.member[0]?.Domain.toLowerCase() ?? '';
    if (!/^([a-z0-9_-]{1,63}\.)+[a-z0-9-]{2,63}$/.test(domain)) {
      throw new ServiceError('InvalidArgument', 'The provided Domain Name is not valid.');
    }
    return domain;
  }
  function assertPointsHere(domain: string, account: string): void {
    if (pointsHere(domain, account)) return;
    const reason = 'Could not verify Domain Name ownership. It may not be pointing to a valid CloudFront resource.';
    throw new ServiceError('InvalidArgument', `The provided Domain Name is not valid. ${reason}`);
  }

  /** Requests a managed certificate if the request contains one. */
  function requestCertificate(
    { ManagedCertificateRequest: request }: TenantInput,
    domain: string,
    account: string,
  ): Tenant['asked'] {
    if (request === undefined) return undefined;
    if (request.ValidationTokenHost === 'cloudfront') assertPointsHere(domain, account);
    const requested = { arn: newArn(account), at: Date.now() };
    certificates.push({ ...requested, account, domain });
    return requested;
  }

  function create(input: TenantInput, account: string): XmlResponse {
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
    const certificate = requestCertificate(input, domain, account);
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
    state.save();
    return describeTenant(tenant, 201);
  }

  /** Updates the fields that the request contains. */
  function update(tenant: Tenant, input: TenantInput): XmlResponse {
    const arn = input.Customizations?.Certificate?.Arn;
    if (arn && !(arn === tenant.asked?.arn && statusOf(tenant) === 'issued')) {
      throw new ServiceError('InvalidArgument', 'The certificate does not exist, or is not issued.');
    }
    const newRequest = requestCertificate(input, tenant.domain, tenant.account);
    const { Enabled: enabled } = input;
    Object.assign(tenant, {
      ...(enabled ? { enabled: enabled === 'true' } : {}),
      ...(arn ? { certificate: arn } : {}),
      ...(newRequest ? { asked: newRequest } : {}),
      changedAt: Date.now(),
      version: tenant.version + 1,
    });
    state.save();
    return describeTenant(tenant);
  }

  function remove(tenant: Tenant): XmlResponse {
    if (tenant.enabled || !isDeployed(tenant)) {
      throw new ServiceError(
        'ResourceNotDisabled',
        'The specified CloudFront resource has not been disabled yet.',
        409,
      );
    }
    tenants.splice(tenants.indexOf(tenant), 1);
    state.save();
    return { status: 204 };
  }

  const statusOf = ({ asked: request, domain }: Pick<Tenant, 'asked' | 'domain'>): string => {
    const [, finalStatus = 'issued'] = CERTIFICATE_FAULTS.find(([prefix]) => prefix.test(domain)) ?? [];
    const duration = issueAfter + (domain.startsWith('slow-') ? SLOW_ISSUANCE_MS : 0);
    return Date.now() - (request?.at ?? 0) < duration ? 'pending-validation' : finalStatus;
  };
  function certificate(tenant: Tenant): XmlResponse {
    if (!tenant.asked) throw new ServiceError('EntityNotFound', 'The entity was not found.', 404);
    const content = {
      CertificateArn: tenant.asked.arn,
      CertificateStatus: statusOf(tenant),
      ValidationTokenHost: 'cloudfront',
    };
    return { document: ['ManagedCertificateDetails', content] };
  }

  /** Returns the tenant of a request whose If-Match header names the current version. */
  const findUnchanged = (identifier: string, request: WireRequest): Tenant => {
    const { headers } = request;
    const tenant = find(identifier, accountOf(request));
    const version = headers['if-match'];
    if (!version) throw new ServiceError('InvalidIfMatchVersion', 'The If-Match version is missing or not valid.');
    if (version !== etag(tenant)) throw new ServiceError('PreconditionFailed', 'The precondition is not true.', 412);
    return tenant;
  };

  function route(request: WireRequest): XmlResponse {
    const { method, path, query } = request;
    const [collection = '', identifier = ''] = path.slice(API.length).split('/').map(decodeURIComponent);
    const account = accountOf(request);
    const input = () => parseXml(TenantInput, request.body);
    switch (`${method} ${collection}${identifier ? '/id' : ''}`) {
      case 'POST distribution-tenant':
        return create(input(), account);
      case 'GET distribution-tenant': {
        const domain = query.get('domain');
        return describeTenant(find(tenants.find((tenant) => tenant.domain === domain)?.id ?? '', account));
      }
      case 'GET distribution-tenant/id':
        return describeTenant(find(identifier, account));
      case 'PUT distribution-tenant/id':
        return update(findUnchanged(identifier, request), input());
      case 'DELETE distribution-tenant/id':
        return remove(findUnchanged(identifier, request));
      case 'GET managed-certificate/id':
        return certificate(find(identifier, account));
      default:
        throw new ServiceError('UnsupportedOperation', `${method} ${path} is not supported by this emulator.`);
    }
  }

  const emulator = await serveXml(port, NAMESPACE, route);
  return {
    ...emulator,
    certificatesOf: (account) =>
      certificates
        .filter((each) => each.account === account)
        .map(({ arn, domain, at }) => ({
          arn,
          domain,
          status: statusOf({ domain, asked: { arn, at } }).toUpperCase().replaceAll('-', '_'),
          inUse: tenants.some((tenant) => tenant.certificate === arn),
          createdAt: at,
        })),
    deleteCertificate(arn) {
      for (const tenant of tenants) if (tenant.asked?.arn === arn) delete tenant.asked;
      const index = certificates.findIndex((certificate) => certificate.arn === arn);
      if (index >= 0) certificates.splice(index, 1);
      state.save();
    },
  };
}
