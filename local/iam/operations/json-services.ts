import { ACCOUNT } from '../../addresses.ts';
import { keyIdOf } from '../../emulators/kms/kms.ts';
import type { Json } from '../../template/intrinsics.ts';
import { SECRET_SUFFIX } from '../../template/names.ts';
import { arnIn, conditionKeys, type JsonOperation, jsonOperations, text } from './operation.ts';

/**
 * A request names a key by its id or its ARN. A request to decrypt may contain only the ciphertext. All keys are in the home account,
 * also for callers from other accounts.
 */
const onKey =
  (action: string): JsonOperation =>
  ({ KeyId, CiphertextBlob, EncryptionContext }, _, { region }) => {
    const key = text(KeyId) || keyIdOf(Buffer.from(text(CiphertextBlob), 'base64')) || '';
    return [
      {
        action: `kms:${action}`,
        resource: key.startsWith('arn:') ? key : arnIn({ account: ACCOUNT, region })('kms', `key/${key}`),
        context: conditionKeys('kms:EncryptionContext:', EncryptionContext),
      },
    ];
  };
export const kms = jsonOperations({
  GenerateDataKey: onKey('GenerateDataKey'),
  Encrypt: onKey('Encrypt'),
  Decrypt: onKey('Decrypt'),
});

/**
 * Operations on a log group are authorized by its ARN with an empty stream at the end, as AWS's messages show. Tagging is authorized
 * by the ARN without it (https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_LogGroup.html).
 */
const onLogGroup =
  (action: string): JsonOperation =>
  ({ logGroupName }, arn) => [
    { action: `logs:${action}`, resource: arn('logs', `log-group:${text(logGroupName)}:log-stream:`) },
  ];
const onLogStream =
  (action: string): JsonOperation =>
  ({ logGroupName, logStreamName }, arn) => [
    {
      action: `logs:${action}`,
      resource: arn('logs', `log-group:${text(logGroupName)}:log-stream:${text(logStreamName)}`),
    },
  ];
export const logs = jsonOperations({
  CreateLogGroup: onLogGroup('CreateLogGroup'),
  DeleteLogGroup: onLogGroup('DeleteLogGroup'),
  PutRetentionPolicy: onLogGroup('PutRetentionPolicy'),
  FilterLogEvents: onLogGroup('FilterLogEvents'),
  // Starting a query is authorized by the group's ARN. Reading its results and stopping it have no resource.
  StartQuery: onLogGroup('StartQuery'),
  GetQueryResults: () => [{ action: 'logs:GetQueryResults', resource: '*' }],
  StopQuery: () => [{ action: 'logs:StopQuery', resource: '*' }],
  CreateLogStream: onLogStream('CreateLogStream'),
  PutLogEvents: onLogStream('PutLogEvents'),
  TagResource: ({ resourceArn, tags }) => [
    { action: 'logs:TagResource', resource: text(resourceArn), context: conditionKeys('aws:RequestTag/', tags) },
  ],
});

/** Reading metrics has no resource-level permissions (https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html). */
export const monitoring = jsonOperations({
  GetMetricData: () => [{ action: 'cloudwatch:GetMetricData', resource: '*' }],
});

const onExecution =
  (action: string): JsonOperation =>
  ({ executionArn }) => [{ action: `states:${action}`, resource: text(executionArn) }];
const onMachine =
  (action: string): JsonOperation =>
  ({ stateMachineArn }) => [{ action: `states:${action}`, resource: text(stateMachineArn) }];
export const states = jsonOperations({
  StartExecution: onMachine('StartExecution'),
  ListExecutions: onMachine('ListExecutions'),
  StopExecution: onExecution('StopExecution'),
  DescribeExecution: onExecution('DescribeExecution'),
  GetExecutionHistory: onExecution('GetExecutionHistory'),
});

/** The rights on a build are those on its project. A build's id begins with the project's name. */
const onProject =
  (action: string, names: (input: Parameters<JsonOperation>[0]) => readonly Json[]): JsonOperation =>
  (input, arn) =>
    [...new Set(names(input).map((name) => text(name).split('/').at(-1)?.split(':')[0] ?? ''))].map((name) => ({
      action: `codebuild:${action}`,
      resource: arn('codebuild', `project/${name}`),
    }));
export const codebuild = jsonOperations({
  StartBuild: onProject('StartBuild', ({ projectName = '' }) => [projectName]),
  StopBuild: onProject('StopBuild', ({ id = '' }) => [id]),
  BatchGetBuilds: onProject('BatchGetBuilds', ({ ids }) => (Array.isArray(ids) ? ids : [])),
  ListBuildsForProject: onProject('ListBuildsForProject', ({ projectName = '' }) => [projectName]),
});

/** The registrar's actions have no resource-level permissions. */
export const route53domains = jsonOperations(
  Object.fromEntries(
    [
      'CheckDomainAvailability',
      'RegisterDomain',
      'RenewDomain',
      'UpdateDomainNameservers',
      'GetDomainDetail',
      'GetContactReachabilityStatus',
      'GetOperationDetail',
      'ListDomains',
      'ListOperations',
    ].map((operation) => [operation, () => [{ action: `route53domains:${operation}`, resource: '*' }]]),
  ),
);

/** Listing certificates has no resource-level permissions. Deleting one does (https://docs.aws.amazon.com/service-authorization/latest/reference/list_awscertificatemanager.html). */
export const acm = jsonOperations({
  ListCertificates: () => [{ action: 'acm:ListCertificates', resource: '*' }],
  DeleteCertificate: ({ CertificateArn }) => [{ action: 'acm:DeleteCertificate', resource: text(CertificateArn) }],
});

/** Reading quotas has no resource-level permissions (https://docs.aws.amazon.com/service-authorization/latest/reference/list_servicequotas.html). */
export const servicequotas = jsonOperations({
  GetServiceQuota: () => [{ action: 'servicequotas:GetServiceQuota', resource: '*' }],
  ListServiceQuotas: () => [{ action: 'servicequotas:ListServiceQuotas', resource: '*' }],
});

/** Rights on users are rights on their pool. */
export const userPools = jsonOperations(
  Object.fromEntries(
    ['AdminGetUser', 'AdminCreateUser', 'AdminSetUserPassword', 'AdminDeleteUser'].map((operation) => [
      operation,
      ({ UserPoolId }, arn) => [
        { action: `cognito-idp:${operation}`, resource: arn('cognito-idp', `userpool/${text(UserPoolId)}`) },
      ],
    ]),
  ),
);

/** A request names a secret by its name or its ARN. */
const onSecret =
  (action: string): JsonOperation =>
  ({ SecretId }, arn) => {
    const id = text(SecretId);
    const resource = id.startsWith('arn:') ? id : arn('secretsmanager', `secret:${id}-${SECRET_SUFFIX}`);
    return [{ action: `secretsmanager:${action}`, resource }];
  };
export const secretsmanager = jsonOperations({
  GetSecretValue: onSecret('GetSecretValue'),
  PutSecretValue: onSecret('PutSecretValue'),
  DescribeSecret: onSecret('DescribeSecret'),
});
