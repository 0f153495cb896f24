import type { Names } from '../names.ts';
import type { Right } from './rights.ts';

/** Rights on applications, which are the same in every hosting cell. */

/** Reasons for the wildcards in permissions on customers' resources. */
const ANY_APP = 'applications are created and deleted at run time; only they have this prefix';
const ANY_CERTIFICATE = 'AWS chooses the names of certificates, which exist as long as customers’ domains';
const ANY_TENANT = 'AWS chooses the names of tenants, which exist as long as customers’ domains';

/** The resources of a cell that its rights refer to. */
export interface CellParts {
  names: Names;
  /** The ARN of the store of host names. */
  routesArn: string;
  /** The ARN of the bucket from which Lambda loads code. */
  codeBucketArn: string;
  /** The ARNs of the distribution of custom domains and of its connection group. */
  tenantDistributionArn: string;
  connectionGroupArn: string;
}

/** Returns the rights on the applications of a cell by purpose. */
export function appRights({ names, routesArn }: Pick<CellParts, 'names' | 'routesArn'>) {
  const apps = `${names.appFunctions.arnPrefix}*`;
  const onApps = (...actions: string[]): Right => ({
    actions: actions.map((action) => `lambda:${action}`),
    on: [apps],
    wildcard: ANY_APP,
  });
  const onLogs = (...actions: string[]): Right => ({
    actions: actions.map((action) => `logs:${action}`),
    on: [names.appFunctions.logs],
    wildcard: ANY_APP,
  });
  const route: Right = {
    actions: ['DescribeKeyValueStore', 'GetKey', 'UpdateKeys'].map((action) => `cloudfront-keyvaluestore:${action}`),
    on: [routesArn],
  };
  const measureCapacity: Right[] = [
    { actions: ['lambda:GetAccountSettings'], on: ['*'], wildcard: 'the action has no resource-level permissions' },
  ];
  return {
    readLogs: [onLogs('FilterLogEvents')],
    readMetrics: [
      { actions: ['cloudwatch:GetMetricData'], on: ['*'], wildcard: 'metrics have no resource-level permissions' },
    ],
    queryLogs: [
      onLogs('StartQuery'),
      {
        actions: ['logs:GetQueryResults', 'logs:StopQuery'],
        on: ['*'],
        wildcard: 'queries that were started have no resource-level permissions',
      },
    ],
    release: [
      onApps(
        'GetFunction',
        'CreateFunction',
        'UpdateFunctionCode',
        'UpdateFunctionConfiguration',
        'PublishVersion',
        'PutFunctionConcurrency',
        // Deletes the function, and with the right below its log, if the application was deleted during the release.
        'DeleteFunction',
      ),
      { actions: ['lambda:GetLayerVersion'], on: [names.appAdapterLayer] },
      onLogs('CreateLogGroup', 'PutRetentionPolicy', 'TagResource', 'DeleteLogGroup'),
      {
        actions: ['iam:PassRole'],
        on: [names.appRole.arn],
        when: { StringEquals: { 'iam:PassedToService': 'lambda.amazonaws.com' } },
      },
    ],
    check: [onApps('InvokeFunction')],
    route: [route],
    switch: [
      onApps(
        'GetAlias',
        'CreateAlias',
        'UpdateAlias',
        'GetFunctionUrlConfig',
        'CreateFunctionUrlConfig',
        'AddPermission',
      ),
      route,
    ],
    access: [onApps('UpdateFunctionUrlConfig')],
    prune: [onApps('DeleteFunction')],
    remove: [onApps('DeleteFunction'), onLogs('DeleteLogGroup'), route],
    measureCapacity,
    measureQuotas: [
      ...measureCapacity,
      { actions: ['cloudfront-keyvaluestore:DescribeKeyValueStore'], on: [routesArn] },
      {
        actions: ['acm:ListCertificates'],
        on: ['*'],
        wildcard: 'listing certificates has no resource-level permissions',
      },
      // Unused certificates count towards a quota and are deleted. ACM has no condition key that restricts this to certificates of CloudFront.
      {
        actions: ['GetDistributionTenantByDomain', 'GetManagedCertificateDetails'].map(
          (action) => `cloudfront:${action}`,
        ),
        on: [names.tenants],
        wildcard: ANY_TENANT,
      },
      { actions: ['acm:DeleteCertificate'], on: [names.edgeCertificates], wildcard: ANY_CERTIFICATE },
      {
        actions: ['servicequotas:GetServiceQuota', 'servicequotas:ListServiceQuotas'],
        on: ['*'],
        wildcard: 'reading quotas has no resource-level permissions',
      },
    ],
  } satisfies Record<string, Right[]>;
}

/** Returns the rights on the distribution tenants of a cell, one tenant per custom domain. */
export const tenantRights = ({ names, ...edge }: Omit<CellParts, 'routesArn' | 'codeBucketArn'>): Right[] => [
  // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudfront.html
  {
    actions: ['cloudfront:CreateDistributionTenant'],
    on: ['*'],
    wildcard: 'creating a tenant has no resource-level permissions',
  },
  {
    actions: ['cloudfront:UpdateDistributionTenant'],
    on: [names.tenants, edge.tenantDistributionArn, edge.connectionGroupArn],
    wildcard: ANY_TENANT,
  },
  {
    actions: ['GetDistributionTenant', 'DeleteDistributionTenant', 'GetManagedCertificateDetails'].map(
      (action) => `cloudfront:${action}`,
    ),
    on: [names.tenants],
    wildcard: ANY_TENANT,
  },
  // CloudFront requests a tenant's certificate with the permissions of the caller that creates the tenant.
  { actions: ['acm:RequestCertificate'], on: ['*'], wildcard: 'a requested certificate has no name yet' },
  {
    actions: ['acm:DescribeCertificate', 'acm:AddTagsToCertificate'],
    on: [names.edgeCertificates],
    wildcard: ANY_CERTIFICATE,
  },
];

/**
 * Returns the rights of customers' code: to decrypt its own variables and to write its own log.
 * @param keys the ARN of the key that encrypts variables
 */
export function customerRights(names: Names, keys: Pick<Right, 'on' | 'wildcard'>): Right[] {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: IAM replaces it with the ARN of the calling function
  const own = '${lambda:SourceFunctionArn}';
  return [
    { actions: ['kms:Decrypt'], ...keys, when: { StringEquals: { 'kms:EncryptionContext:application': own } } },
    {
      actions: ['logs:CreateLogStream'],
      on: [names.appFunctions.logs],
      when: { StringEquals: { 'aws:ResourceTag/application': own } },
      wildcard: ANY_APP,
    },
    // Streams have no tags. Their names end in 128 random bits, and the role may not list them.
    { actions: ['logs:PutLogEvents'], on: [names.appFunctions.logs], wildcard: ANY_APP },
  ];
}
