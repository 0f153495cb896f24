import { isObject } from '../../template/intrinsics.ts';
import type { Access } from '../authorizer.ts';
import { arnIn, conditionKeys, jsonBody, type Operations, type ServiceRequest, text } from './operation.ts';

const segments = (path: string): string[] => path.split('/').filter(Boolean).map(decodeURIComponent);

const onZone = (action: string, id: string): Access[] => [
  { action: `route53:${action}`, resource: `arn:aws:route53:::hostedzone/${id}` },
];
/** Creating a zone, finding a zone and reading the account's limits have no resource-level permissions. */
export const route53: Operations = ({ method, path }) => {
  const [, collection = '', id = '', part = ''] = segments(path);
  switch (`${method} ${collection}${id ? '/id' : ''}${part ? `/${part}` : ''}`) {
    case 'POST hostedzone':
      return [{ action: 'route53:CreateHostedZone', resource: '*' }];
    case 'GET accountlimit/id':
      return [{ action: 'route53:GetAccountLimit', resource: '*' }];
    case 'GET hostedzonesbyname':
      return [{ action: 'route53:ListHostedZonesByName', resource: '*' }];
    case 'GET hostedzone/id':
      return onZone('GetHostedZone', id);
    case 'DELETE hostedzone/id':
      return onZone('DeleteHostedZone', id);
    case 'GET hostedzone/id/rrset':
      return onZone('ListResourceRecordSets', id);
    case 'POST hostedzone/id/rrset':
      return onZone('ChangeResourceRecordSets', id);
    default:
      return undefined;
  }
};

const TENANT_ACTIONS: Readonly<Record<string, string>> = {
  'GET distribution-tenant': 'GetDistributionTenantByDomain',
  'GET distribution-tenant/id': 'GetDistributionTenant',
  'PUT distribution-tenant/id': 'UpdateDistributionTenant',
  'DELETE distribution-tenant/id': 'DeleteDistributionTenant',
  'GET managed-certificate/id': 'GetManagedCertificateDetails',
};
/**
 * Creating a tenant has no resource-level permissions
 * (https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudfront.html). CloudFront requests a
 * tenant's certificate with the caller's rights.
 */
export const cloudfront: Operations = ({ method, path, body, account }) => {
  const [, collection = '', id = ''] = segments(path);
  const certificate = body.includes('<ManagedCertificateRequest>')
    ? [{ action: 'acm:RequestCertificate', resource: '*' }]
    : [];
  if (`${method} ${collection}` === 'POST distribution-tenant') {
    return [{ action: 'cloudfront:CreateDistributionTenant', resource: '*' }, ...certificate];
  }
  const action = TENANT_ACTIONS[`${method} ${collection}${id ? '/id' : ''}`];
  const resource = arnIn({ account })('cloudfront', `distribution-tenant/${id}`);
  return action ? [{ action: `cloudfront:${action}`, resource }, ...certificate] : undefined;
};

const STORE_ACTIONS: Readonly<Record<string, string>> = {
  'GET ': 'DescribeKeyValueStore',
  'GET keys': 'ListKeys',
  'POST keys': 'UpdateKeys',
  'GET keys/key': 'GetKey',
  'PUT keys/key': 'PutKey',
  'DELETE keys/key': 'DeleteKey',
};
export const keyValueStore: Operations = ({ method, path }) => {
  const [, resource = '', collection = '', key] = segments(path);
  const action = STORE_ACTIONS[`${method} ${collection}${key === undefined ? '' : '/key'}`];
  return action ? [{ action: `cloudfront-keyvaluestore:${action}`, resource }] : undefined;
};

/** The service-linked role, which the account's first cluster creates. */
const DSQL_ROLE = 'role/aws-service-role/dsql.amazonaws.com/AWSServiceRoleForAuroraDsql';

function onCreatedCluster(request: ServiceRequest): Access[] {
  const resource = arnIn(request)('dsql', 'cluster/*');
  const context = conditionKeys('aws:RequestTag/', jsonBody(request).tags);
  return [
    { action: 'dsql:CreateCluster', resource, context },
    ...(Object.keys(context).length > 0 ? [{ action: 'dsql:TagResource', resource, context }] : []),
    {
      action: 'iam:CreateServiceLinkedRole',
      resource: arnIn({ account: request.account })('iam', DSQL_ROLE),
      context: { 'iam:AWSServiceName': 'dsql.amazonaws.com' },
    },
  ];
}

/**
 * Rights on clusters depend on the tags in the request and on those of the cluster.
 * https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonauroradsql.html
 */
export const dsql =
  (tagsOf: (clusterArn: string) => Record<string, string>): Operations =>
  (request) => {
    const { method, path } = request;
    const [collection, id = ''] = segments(path);
    const resourceTags = (resource: string) => conditionKeys('aws:ResourceTag/', tagsOf(resource));
    if (`${method} ${collection}` === 'POST tags') {
      const { tags } = jsonBody(request);
      const context = {
        ...resourceTags(id),
        ...conditionKeys('aws:RequestTag/', tags),
        'aws:TagKeys': Object.keys(isObject(tags) ? tags : {}),
      };
      return [{ action: 'dsql:TagResource', resource: id, context }];
    }
    const onCluster = (action: string): Access[] => {
      const resource = arnIn(request)('dsql', `cluster/${id}`);
      return [{ action: `dsql:${action}`, resource, context: resourceTags(resource) }];
    };
    switch (`${method} ${collection}${id ? '/id' : ''}`) {
      case 'POST cluster':
        return onCreatedCluster(request);
      case 'GET cluster':
        return [{ action: 'dsql:ListClusters', resource: '*' }];
      case 'GET cluster/id':
        return onCluster('GetCluster');
      case 'DELETE cluster/id':
        return onCluster('DeleteCluster');
      default:
        return undefined;
    }
  };

/** Assuming a role requires a right on it. The role's trust policy must allow it too. */
export const sts: Operations = ({ body }) => {
  const form = new URLSearchParams(body.toString('utf8'));
  if (form.get('Action') !== 'AssumeRole') return undefined;
  const externalId = form.get('ExternalId');
  return [
    {
      action: 'sts:AssumeRole',
      resource: form.get('RoleArn') ?? '',
      ...(externalId === null ? {} : { context: { 'sts:ExternalId': externalId } }),
    },
  ];
};

/** The resource of an email is the identity of the sender's domain (https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonses.html). */
export const ses: Operations = (request) => {
  const { method, path } = request;
  if (`${method} ${path}` === 'GET /v2/email/account') return [{ action: 'ses:GetAccount', resource: '*' }];
  if (method !== 'POST' || path !== '/v2/email/outbound-emails') return undefined;
  const from = text(jsonBody(request).FromEmailAddress);
  const resource = arnIn(request)('ses', `identity/${from.slice(from.indexOf('@') + 1)}`);
  return [{ action: 'ses:SendEmail', resource, context: { 'ses:FromAddress': from } }];
};
