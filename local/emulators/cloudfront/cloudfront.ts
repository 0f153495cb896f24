import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { element, elements, escapeXml, textOf } from '../../stand-ins/xml.ts';
import { openState } from '../state.ts';
import { ServiceError, type StandIn, type StandInOptions, serve, type WireAnswer, type WireRequest } from '../wire.ts';

const Tenant = z.object({
  id: z.string(),
  name: z.string(),
  distributionId: z.string(),
  connectionGroupId: z.string(),
  domain: z.string(),
  enabled: z.boolean(),
  /** The ARN of the certificate that it uses. */
  certificate: z.string().optional(),
  changedAt: z.number(),
  version: z.number(),
  /** The managed certificate that was asked for last. */
  asked: z.object({ arn: z.string(), at: z.number() }).optional(),
});
type Tenant = z.output<typeof Tenant>;

interface CloudFrontOptions extends StandInOptions {
  /** Whether a domain's DNS leads to the connection group. */
  leadsHere: (domain: string) => boolean;
  /** How long a change is on its way through the edge, and a certificate on its way to us, in milliseconds. */
  deployFor?: number;
  issueAfter?: number;
}

/** What goes wrong on request: by how the domain begins, as with test cards. */
const TAKEN = /^taken-/;
const CERTIFICATES: readonly (readonly [beginning: RegExp, status: string])[] = [
  [/^refused-/, 'failed'],
  [/^silent-/, 'validation-timed-out'],
];
/** How much longer those take that begin with `slow-`, in milliseconds. */
const SLOW = 10_000;

const API = '/2020-05-31/';
const NAMESPACE = 'http://cloudfront.amazonaws.com/doc/2020-05-31/';
const answer = (root: string, inside: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${NAMESPACE}">${inside}</${root}>`;

const etag = ({ id, version }: Tenant): string => `E${id.slice(3, 12).toUpperCase()}${version}`;
const newArn = () => `arn:aws:acm:us-east-1:000000000000:certificate/${randomBytes(16).toString('hex')}`;

/**
 * Amazon CloudFront, as far as the tenants of a multi-tenant distribution go, and the certificates that CloudFront manages for
 * them: its REST protocol in XML. A tenant for a domain that does not lead here is refused as there, a tenant is disabled
 * before it can be deleted, and a certificate is of no use before the tenant is told to use it.
 */
export async function startCloudFront({
  dataDir,
  port,
  leadsHere,
  deployFor = 500,
  issueAfter = 1000,
}: CloudFrontOptions): Promise<StandIn> {
  const state = openState(join(dataDir, 'cloudfront.json'), z.object({ tenants: z.array(Tenant) }), { tenants: [] });
  const { tenants } = state.value;

  const find = (identifier: string): Tenant => {
    const tenant = tenants.find(({ id, name }) => id === identifier || name === identifier);
    if (!tenant) throw new ServiceError('EntityNotFound', 'The entity was not found.', 404);
    return tenant;
  };
  const isDeployed = ({ changedAt }: Tenant) => Date.now() - changedAt >= deployFor;

  const show = (tenant: Tenant, status = 200): WireAnswer => {
    const { id, name, domain, certificate, enabled } = tenant;
    const active = enabled && certificate !== undefined && isDeployed(tenant);
    const inside =
      element('Id', id) +
      element('DistributionId', tenant.distributionId) +
      element('Name', escapeXml(name)) +
      element('Arn', `arn:aws:cloudfront::000000000000:distribution-tenant/${id}`) +
      element(
        'Domains',
        element('member', element('Domain', domain) + element('Status', active ? 'active' : 'inactive')),
      ) +
      (certificate ? element('Customizations', element('Certificate', element('Arn', certificate))) : '') +
      element('ConnectionGroupId', tenant.connectionGroupId) +
      element('LastModifiedTime', new Date(tenant.changedAt).toISOString()) +
      element('Enabled', String(enabled)) +
      element('Status', isDeployed(tenant) ? 'Deployed' : 'InProgress');
    return { status, headers: { etag: etag(tenant) }, body: answer('DistributionTenant', inside) };
  };

  /** The domain that a request is about; refused where CloudFront would refuse it. */
  function domainOf(body: string): string {
    const domain = textOf(elements(body, 'Domains')[0] ?? '', 'Domain').toLowerCase();
    if (!/^([a-z0-9_-]{1,63}\.)+[a-z0-9-]{2,63}$/.test(domain)) {
      throw new ServiceError('InvalidArgument', 'The provided Domain Name is not valid.');
    }
    return domain;
  }
  function assertLeadsHere(domain: string): void {
    if (leadsHere(domain)) return;
    const why = 'Could not verify Domain Name ownership. It may not be pointing to a valid CloudFront resource.';
    throw new ServiceError('InvalidArgument', `The provided Domain Name is not valid. ${why}`);
  }

  /** Asks for a managed certificate, where the request says so. */
  function asked(body: string, domain: string): Tenant['asked'] {
    const [request] = elements(body, 'ManagedCertificateRequest');
    if (request === undefined) return undefined;
    if (textOf(request, 'ValidationTokenHost') === 'cloudfront') assertLeadsHere(domain);
    return { arn: newArn(), at: Date.now() };
  }

  function create(body: string): WireAnswer {
    const name = textOf(body, 'Name');
    const domain = domainOf(body);
    if (!/^[a-z0-9][a-z0-9.-]{1,126}[a-z0-9]$/i.test(name))
      throw new ServiceError('InvalidArgument', 'The name is not valid.');
    if (TAKEN.test(domain) || tenants.some((each) => each.domain === domain)) {
      const message = 'One or more of the CNAMEs you provided are already associated with a different resource.';
      throw new ServiceError('CNAMEAlreadyExists', message, 409);
    }
    if (tenants.some((each) => each.name === name))
      throw new ServiceError('EntityAlreadyExists', 'The entity already exists.', 409);
    const certificate = asked(body, domain);
    const tenant: Tenant = {
      ...{ id: `dt_${randomBytes(13).toString('hex')}`, name, domain, enabled: textOf(body, 'Enabled') !== 'false' },
      ...{ distributionId: textOf(body, 'DistributionId'), connectionGroupId: textOf(body, 'ConnectionGroupId') },
      ...{ changedAt: Date.now(), version: 1, ...(certificate ? { asked: certificate } : {}) },
    };
    tenants.push(tenant);
    state.save();
    return show(tenant, 201);
  }

  /** What is not given stays as it is. */
  function update(tenant: Tenant, body: string): WireAnswer {
    const arn = textOf(elements(body, 'Certificate')[0] ?? '', 'Arn');
    if (arn && !(arn === tenant.asked?.arn && statusOf(tenant) === 'issued')) {
      throw new ServiceError('InvalidArgument', 'The certificate does not exist, or is not issued.');
    }
    const again = asked(body, tenant.domain);
    const enabled = textOf(body, 'Enabled');
    Object.assign(tenant, {
      ...(enabled ? { enabled: enabled === 'true' } : {}),
      ...(arn ? { certificate: arn } : {}),
      ...(again ? { asked: again } : {}),
      ...{ changedAt: Date.now(), version: tenant.version + 1 },
    });
    state.save();
    return show(tenant);
  }

  function remove(tenant: Tenant): WireAnswer {
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

  const statusOf = ({ asked: request, domain }: Tenant): string => {
    const [, wrong = 'issued'] = CERTIFICATES.find(([beginning]) => beginning.test(domain)) ?? [];
    const after = issueAfter + (domain.startsWith('slow-') ? SLOW : 0);
    return Date.now() - (request?.at ?? 0) < after ? 'pending-validation' : wrong;
  };
  function certificate(tenant: Tenant): WireAnswer {
    if (!tenant.asked) throw new ServiceError('EntityNotFound', 'The entity was not found.', 404);
    const inside =
      element('CertificateArn', tenant.asked.arn) +
      element('CertificateStatus', statusOf(tenant)) +
      element('ValidationTokenHost', 'cloudfront');
    return { body: answer('ManagedCertificateDetails', inside) };
  }

  /** The tenant of a request that names the version that it is about. */
  const unchanged = (identifier: string, { headers }: WireRequest): Tenant => {
    const tenant = find(identifier);
    const version = headers['if-match'];
    if (!version) throw new ServiceError('InvalidIfMatchVersion', 'The If-Match version is missing or not valid.');
    if (version !== etag(tenant)) throw new ServiceError('PreconditionFailed', 'The precondition is not true.', 412);
    return tenant;
  };

  function route(request: WireRequest): WireAnswer {
    const { method, path, query } = request;
    const [collection = '', identifier = ''] = path.slice(API.length).split('/').map(decodeURIComponent);
    const body = request.body.toString('utf8');
    switch (`${method} ${collection}${identifier ? '/id' : ''}`) {
      case 'POST distribution-tenant':
        return create(body);
      case 'GET distribution-tenant': {
        const domain = query.get('domain');
        return show(find(tenants.find((tenant) => tenant.domain === domain)?.id ?? ''));
      }
      case 'GET distribution-tenant/id':
        return show(find(identifier));
      case 'PUT distribution-tenant/id':
        return update(unchanged(identifier, request), body);
      case 'DELETE distribution-tenant/id':
        return remove(unchanged(identifier, request));
      case 'GET managed-certificate/id':
        return certificate(find(identifier));
      default:
        throw new ServiceError('UnsupportedOperation', `${method} ${path} is not part of this stand-in.`);
    }
  }

  return serve(port, 'text/xml', (request) => {
    try {
      const { body, ...rest } = route(request);
      return { ...rest, ...(body === undefined ? {} : { body: Buffer.from(String(body)) }) };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const { name, message, status } = error;
      const said = element('Type', 'Sender') + element('Code', name) + element('Message', escapeXml(message));
      const whole = answer('ErrorResponse', element('Error', said) + element('RequestId', 'local'));
      return { status, body: Buffer.from(whole) };
    }
  });
}
