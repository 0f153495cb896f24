import { join } from 'node:path';
import { openCallerAccounts } from '../accounts.ts';
import { openState } from '../state.ts';
import { type Emulator, type EmulatorOptions, ServiceError, type WireRequest } from '../wire.ts';
import { parseXml, serveXml, type XmlResponse } from '../xml.ts';
import { type Tenant, TenantInput, type TenantSettings, Tenants, TenantsState } from './tenants.ts';

export interface CloudFront extends Emulator, Pick<Tenants, 'certificatesOf' | 'deleteCertificate'> {}

type CloudFrontOptions = EmulatorOptions & Pick<TenantSettings, 'pointsHere'> & Partial<TenantSettings>;

const API = '/2020-05-31/';
const NAMESPACE = 'http://cloudfront.amazonaws.com/doc/2020-05-31/';

const etag = ({ id, version }: Tenant): string => `E${id.slice(3, 12).toUpperCase()}${version}`;

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
  const state = openState(join(dataDir, 'cloudfront.json'), TenantsState, { tenants: [], certificates: [] });
  const tenants = new Tenants(state, { pointsHere, deployFor, issueAfter });
  const accountOf = openCallerAccounts(dataDir);
  const emulator = await serveXml(port, NAMESPACE, (request) => answer(tenants, request, accountOf(request)));
  return {
    ...emulator,
    certificatesOf: (account) => tenants.certificatesOf(account),
    deleteCertificate: (arn) => tenants.deleteCertificate(arn),
  };
}

/** Answers a request of an account. */
function answer(tenants: Tenants, request: WireRequest, account: string): XmlResponse {
  const { method, path, query } = request;
  const [collection = '', identifier = ''] = path.slice(API.length).split('/').map(decodeURIComponent);
  const input = () => parseXml(TenantInput, request.body);
  const find = () => tenants.find(identifier, account);
  switch (`${method} ${collection}${identifier ? '/id' : ''}`) {
    case 'POST distribution-tenant':
      return describeTenant(tenants, tenants.create(input(), account), 201);
    case 'GET distribution-tenant':
      return describeTenant(tenants, tenants.findByDomain(query.get('domain'), account));
    case 'GET distribution-tenant/id':
      return describeTenant(tenants, find());
    case 'PUT distribution-tenant/id': {
      const tenant = assertUnchanged(find(), request);
      tenants.update(tenant, input());
      return describeTenant(tenants, tenant);
    }
    case 'DELETE distribution-tenant/id':
      tenants.remove(assertUnchanged(find(), request));
      return { status: 204 };
    case 'GET managed-certificate/id':
      return describeCertificate(tenants, find());
    default:
      throw new ServiceError('UnsupportedOperation', `${method} ${path} is not supported by this emulator.`);
  }
}

/** Returns the tenant if the If-Match header of the request names its current version. */
function assertUnchanged(tenant: Tenant, { headers }: WireRequest): Tenant {
  const version = headers['if-match'];
  if (!version) throw new ServiceError('InvalidIfMatchVersion', 'The If-Match version is missing or not valid.');
  if (version !== etag(tenant)) throw new ServiceError('PreconditionFailed', 'The precondition is not true.', 412);
  return tenant;
}

function describeTenant(tenants: Tenants, tenant: Tenant, status = 200): XmlResponse {
  const { id, name, domain, certificate, enabled } = tenant;
  const isDeployed = tenants.isDeployed(tenant);
  const isActive = enabled && certificate !== undefined && isDeployed;
  const content = {
    Id: id,
    DistributionId: tenant.distributionId,
    Name: name,
    Arn: `arn:aws:cloudfront::${tenant.account}:distribution-tenant/${id}`,
    Domains: { member: [{ Domain: domain, Status: isActive ? 'active' : 'inactive' }] },
    ...(certificate ? { Customizations: { Certificate: { Arn: certificate } } } : {}),
    ConnectionGroupId: tenant.connectionGroupId,
    LastModifiedTime: new Date(tenant.changedAt).toISOString(),
    Enabled: enabled,
    Status: isDeployed ? 'Deployed' : 'InProgress',
  };
  return { status, headers: { etag: etag(tenant) }, document: ['DistributionTenant', content] };
}

function describeCertificate(tenants: Tenants, { domain, asked }: Tenant): XmlResponse {
  if (!asked) throw new ServiceError('EntityNotFound', 'The entity was not found.', 404);
  const content = {
    CertificateArn: asked.arn,
    CertificateStatus: tenants.certificateStatus(domain, asked.at),
    ValidationTokenHost: 'cloudfront',
  };
  return { document: ['ManagedCertificateDetails', content] };
}
