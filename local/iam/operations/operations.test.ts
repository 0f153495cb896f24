import { runSimulation } from '@cloud-copilot/iam-simulate';
import { expect, test } from 'vitest';
import type { ServiceRequest } from './operation.ts';
import { operationsOf } from './operations.ts';

const REGION = 'af-south-1';
const at = (service: string, resource: string) => `arn:aws:${service}:${REGION}:000000000000:${resource}`;
const KEY = at('kms', 'key/secrets');
const FUNCTION = at('lambda', 'function:app_1');
const CLUSTER = at('dsql', 'cluster/abcdefghijklmnopqrstuvwxyz');
const MACHINE = at('states', 'stateMachine:deployment');
const operations = operationsOf((arn) => (arn === CLUSTER ? { application: FUNCTION } : {}));

interface Sample extends Partial<Omit<ServiceRequest, 'body' | 'query'>> {
  target?: string;
  search?: string;
  body?: object | string;
}

function accessesOf(service: string, { target, search, body = '', ...request }: Sample) {
  return operations[service]?.({
    method: 'POST',
    path: '/',
    region: REGION,
    account: '000000000000',
    ...request,
    headers: { ...(target ? { 'x-amz-target': `Service.${target}` } : {}), ...request.headers },
    query: new URLSearchParams(search),
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  });
}

const TABLE = { TableName: 'hosting' };
const QUEUE = { QueueUrl: 'http://127.0.0.1:1/000000000000/deliveries' };
const GROUP = { logGroupName: '/aws/lambda/app_1' };
const BUILD = 'build:8cd6b2a1';
const STREAM = 'arn:aws:dynamodb:ddblocal:000000000000:table/hosting/stream/2026-01-01T00:00:00.000';
const STORE = 'arn:aws:cloudfront::000000000000:key-value-store/routes';
const tenant = '/2020-05-31/distribution-tenant';
const functions = '/2015-03-31/functions';

/** A request of each kind with its rights: `action resource`, or `action resource {condition keys}`. */
const SAMPLES: [service: string, request: Sample, rights: string[]][] = [
  ['acm', { target: 'ListCertificates' }, ['acm:ListCertificates *']],
  [
    'acm',
    { target: 'DeleteCertificate', body: { CertificateArn: 'arn:aws:acm:us-east-1:000000000000:certificate/1' } },
    ['acm:DeleteCertificate arn:aws:acm:us-east-1:000000000000:certificate/1'],
  ],
  ['servicequotas', { target: 'GetServiceQuota' }, ['servicequotas:GetServiceQuota *']],
  ['servicequotas', { target: 'ListServiceQuotas' }, ['servicequotas:ListServiceQuotas *']],
  ['lambda', { method: 'GET', path: '/2016-08-19/account-settings' }, ['lambda:GetAccountSettings *']],
  ['dsql', { method: 'GET', path: '/cluster' }, ['dsql:ListClusters *']],
  ['route53domains', { target: 'ListDomains' }, ['route53domains:ListDomains *']],
  [
    'route53',
    { method: 'GET', path: '/2013-04-01/accountlimit/MAX_HOSTED_ZONES_BY_OWNER' },
    ['route53:GetAccountLimit *'],
  ],
  ['dynamodb', { target: 'GetItem', body: TABLE }, [`dynamodb:GetItem ${at('dynamodb', 'table/hosting')}`]],
  [
    'dynamodb',
    { target: 'Query', body: { ...TABLE, IndexName: 'due' } },
    [`dynamodb:Query ${at('dynamodb', 'table/hosting/index/due')}`],
  ],
  [
    'dynamodb',
    {
      target: 'TransactWriteItems',
      body: {
        TransactItems: [
          { Put: TABLE },
          { ConditionCheck: TABLE },
          { Update: TABLE },
          { Delete: TABLE },
          { Put: TABLE },
        ],
      },
    },
    ['PutItem', 'ConditionCheckItem', 'UpdateItem', 'DeleteItem'].map(
      (action) => `dynamodb:${action} ${at('dynamodb', 'table/hosting')}`,
    ),
  ],
  [
    'dynamodb',
    { target: 'BatchGetItem', body: { RequestItems: { hosting: {} } } },
    [`dynamodb:BatchGetItem ${at('dynamodb', 'table/hosting')}`],
  ],
  [
    'dynamodb',
    { target: 'BatchWriteItem', body: { RequestItems: { hosting: [] } } },
    [`dynamodb:BatchWriteItem ${at('dynamodb', 'table/hosting')}`],
  ],
  [
    'dynamodb',
    { target: 'GetRecords', body: { ShardIterator: `000|${STREAM}|shardId-1|x` } },
    [`dynamodb:GetRecords ${at('dynamodb', 'table/hosting/stream/local')}`],
  ],
  ['sqs', { target: 'SendMessageBatch', body: QUEUE }, [`sqs:SendMessage ${at('sqs', 'deliveries')}`]],
  ['sqs', { target: 'ReceiveMessage', body: QUEUE }, [`sqs:ReceiveMessage ${at('sqs', 'deliveries')}`]],
  ['s3', { method: 'HEAD', path: '/builds/logs/dep_1.txt' }, ['s3:GetObject arn:aws:s3:::builds/logs/dep_1.txt']],
  ['s3', { method: 'PUT', path: '/builds/caches/a%20b' }, ['s3:PutObject arn:aws:s3:::builds/caches/a b']],
  ['s3', { path: '/builds/a', search: 'uploads=' }, ['s3:PutObject arn:aws:s3:::builds/a']],
  ['s3', { method: 'GET', path: '/builds', search: 'list-type=2&prefix=a' }, ['s3:ListBucket arn:aws:s3:::builds']],
  [
    's3',
    { method: 'PUT', path: '/builds/b', headers: { 'x-amz-copy-source': '/builds/a' } },
    ['s3:PutObject arn:aws:s3:::builds/b', 's3:GetObject arn:aws:s3:::builds/a'],
  ],
  [
    'kms',
    { target: 'GenerateDataKey', body: { KeyId: KEY, EncryptionContext: { webhook: 'whk_1' } } },
    [`kms:GenerateDataKey ${KEY} {"kms:EncryptionContext:webhook":"whk_1"}`],
  ],
  [
    'kms',
    {
      target: 'Decrypt',
      body: {
        CiphertextBlob: Buffer.from(`\0${String.fromCharCode(KEY.length)}${KEY}${' '.repeat(28)}`).toString('base64'),
      },
    },
    [`kms:Decrypt ${KEY} {}`],
  ],
  [
    'logs',
    { target: 'DeleteLogGroup', body: GROUP },
    [`logs:DeleteLogGroup ${at('logs', 'log-group:/aws/lambda/app_1:log-stream:')}`],
  ],
  [
    'logs',
    {
      target: 'TagResource',
      body: { resourceArn: at('logs', 'log-group:/aws/lambda/app_1'), tags: { application: FUNCTION } },
    },
    [`logs:TagResource ${at('logs', 'log-group:/aws/lambda/app_1')} {"aws:RequestTag/application":"${FUNCTION}"}`],
  ],
  ['states', { target: 'StartExecution', body: { stateMachineArn: MACHINE } }, [`states:StartExecution ${MACHINE}`]],
  [
    'states',
    { target: 'StopExecution', body: { executionArn: at('states', 'execution:deployment:dep_1') } },
    [`states:StopExecution ${at('states', 'execution:deployment:dep_1')}`],
  ],
  [
    'codebuild',
    { target: 'StartBuild', body: { projectName: 'build' } },
    [`codebuild:StartBuild ${at('codebuild', 'project/build')}`],
  ],
  [
    'codebuild',
    { target: 'BatchGetBuilds', body: { ids: [BUILD, BUILD] } },
    [`codebuild:BatchGetBuilds ${at('codebuild', 'project/build')}`],
  ],
  [
    'secretsmanager',
    { target: 'GetSecretValue', body: { SecretId: 'origin' } },
    [`secretsmanager:GetSecretValue ${at('secretsmanager', 'secret:origin-aLocal')}`],
  ],
  ['route53domains', { target: 'RegisterDomain' }, ['route53domains:RegisterDomain *']],
  [
    'lambda',
    {
      path: functions,
      body: {
        FunctionName: 'app_1',
        Role: 'arn:aws:iam::000000000000:role/app',
        Layers: ['arn:aws:lambda:af-south-1:753240598075:layer:adapter:25'],
        Code: { S3Bucket: 'builds', S3Key: 'artifacts/1.zip' },
      },
    },
    [
      `lambda:CreateFunction ${FUNCTION}`,
      'iam:PassRole arn:aws:iam::000000000000:role/app {"iam:PassedToService":"lambda.amazonaws.com"}',
      'lambda:GetLayerVersion arn:aws:lambda:af-south-1:753240598075:layer:adapter:25',
      's3:GetObject arn:aws:s3:::builds/artifacts/1.zip',
    ],
  ],
  [
    'lambda',
    { path: `${functions}/app_1/invocations`, search: 'Qualifier=2' },
    [`lambda:InvokeFunction ${FUNCTION}:2`],
  ],
  ['lambda', { method: 'PUT', path: `${functions}/app_1/aliases/live` }, [`lambda:UpdateAlias ${FUNCTION}`]],
  [
    'route53',
    { path: '/2013-04-01/hostedzone/Z1/rrset' },
    ['route53:ChangeResourceRecordSets arn:aws:route53:::hostedzone/Z1'],
  ],
  ['route53', { method: 'GET', path: '/2013-04-01/hostedzonesbyname' }, ['route53:ListHostedZonesByName *']],
  [
    'cloudfront',
    { path: tenant, body: '<Request><ManagedCertificateRequest></ManagedCertificateRequest></Request>' },
    ['cloudfront:CreateDistributionTenant *', 'acm:RequestCertificate *'],
  ],
  [
    'cloudfront',
    { method: 'DELETE', path: `${tenant}/dt_1` },
    ['cloudfront:DeleteDistributionTenant arn:aws:cloudfront::000000000000:distribution-tenant/dt_1'],
  ],
  [
    'cloudfront-keyvaluestore',
    { path: `/key-value-stores/${encodeURIComponent(STORE)}/keys` },
    [`cloudfront-keyvaluestore:UpdateKeys ${STORE}`],
  ],
  [
    'dsql',
    { method: 'DELETE', path: `/cluster/${CLUSTER.split('/')[1]}` },
    [`dsql:DeleteCluster ${CLUSTER} {"aws:ResourceTag/application":"${FUNCTION}"}`],
  ],
  [
    'dsql',
    { path: '/cluster', body: { tags: { application: 'a' } } },
    [
      `dsql:CreateCluster ${at('dsql', 'cluster/*')} {"aws:RequestTag/application":"a"}`,
      `dsql:TagResource ${at('dsql', 'cluster/*')} {"aws:RequestTag/application":"a"}`,
      'iam:CreateServiceLinkedRole arn:aws:iam::000000000000:role/aws-service-role/dsql.amazonaws.com/AWSServiceRoleForAuroraDsql {"iam:AWSServiceName":"dsql.amazonaws.com"}',
    ],
  ],
  [
    'sts',
    { body: 'Action=AssumeRole&RoleArn=arn%3Aaws%3Aiam%3A%3A000000000000%3Arole%2Fx' },
    ['sts:AssumeRole arn:aws:iam::000000000000:role/x'],
  ],
  ['ses', { method: 'GET', path: '/v2/email/account' }, ['ses:GetAccount *']],
  [
    'ses',
    { path: '/v2/email/outbound-emails', body: { FromEmailAddress: 'no-reply@example.com' } },
    [`ses:SendEmail ${at('ses', 'identity/example.com')} {"ses:FromAddress":"no-reply@example.com"}`],
  ],
];

test.each(SAMPLES)('%s %o needs %j, which AWS knows', async (service, request, rights) => {
  const accesses = accessesOf(service, request) ?? [];
  const shown = accesses.map(({ action, resource, context }) =>
    [action, resource, ...(context ? [JSON.stringify(context)] : [])].join(' '),
  );
  expect(shown).toEqual(rights);
  for (const { action, resource } of accesses) {
    // Checks the action, and the form of the resource, against AWS's own list.
    const result = await runSimulation(
      {
        request: {
          principal: 'arn:aws:iam::000000000000:role/any',
          action,
          resource: { resource, accountId: '000000000000' },
          contextVariables: {},
        },
        identityPolicies: [
          {
            name: 'all',
            policy: { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] },
          },
        ],
        serviceControlPolicies: [],
        resourceControlPolicies: [],
      },
      {},
    );
    expect(result.resultType === 'error' ? result.errors : 'known', `${action} ${resource}`).toBe('known');
  }
});

test('an operation that the tables lack has no rights, and is refused', () => {
  expect(accessesOf('dynamodb', { target: 'DeleteTable', body: TABLE })).toBeUndefined();
  expect(accessesOf('dynamodb', { target: 'constructor' })).toBeUndefined();
  expect(accessesOf('s3', { method: 'PUT', path: '/builds', search: 'policy=' })).toBeUndefined();
  expect(accessesOf('lambda', { method: 'PATCH', path: `${functions}/app_1` })).toBeUndefined();
});
