import { type AwsCall, eventMessage, Refusal, type Scenario } from './aws-account.ts';

/** Accounts of the preflight's test, as answers of AWS. */

export const ACCOUNT = '123456789012';
export const SETTINGS = [
  '--stage',
  'prod',
  '--domain',
  'hosting.example',
  '--hosted-zone-id',
  'ZPLATFORM',
  '--apps-domain',
  'hosted-apps.example',
  '--apps-hosted-zone-id',
  'ZAPPS',
];
const NAME_SERVERS = ['ns-1.awsdns-01.com', 'ns-2.awsdns-02.net'];
export const DELEGATED = { 'hosting.example': NAME_SERVERS, 'hosted-apps.example': NAME_SERVERS };

const zone = (Name: string, Id: string) => ({
  GetHostedZoneResponse: {
    HostedZone: { Id: `/hostedzone/${Id}`, Name: `${Name}.`, CallerReference: 'r', Config: { PrivateZone: false } },
    DelegationSet: { NameServers: { NameServer: NAME_SERVERS } },
  },
});
const records = (...names: string[]) => ({
  ListResourceRecordSetsResponse: {
    ResourceRecordSets: {
      ResourceRecordSet: names.map((Name) => ({
        Name,
        Type: 'A',
        TTL: 300,
        ResourceRecords: { ResourceRecord: [{ Value: '192.0.2.1' }] },
      })),
    },
    IsTruncated: false,
    MaxItems: 1,
  },
});

/** Primary identifiers of the registry's schemas; types without an entry have one that AWS chooses. */
const IDENTIFIERS: Record<string, string> = {
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::KMS::Alias': 'AliasName',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Logs::LogGroup': 'LogGroupName',
};
/** A description as long as those of the large schemas, in which every quotation mark is an entity of the XML. */
const LONG = Array.from({ length: 3000 }, (_, index) => `"${index}"\n`).join(' ');

const schema = (type: string, more: object = {}) => ({
  Schema: JSON.stringify({
    typeName: type,
    description: LONG,
    handlers: { read: {} },
    primaryIdentifier: [`/properties/${IDENTIFIERS[type] ?? 'Id'}`],
    ...more,
  }),
});

const quota = (call: AwsCall, Value: number) => ({ Quota: { QuotaName: 'q', QuotaCode: call.input.QuotaCode, Value } });
const listed = (values: Record<string, number>) => ({
  Quotas: Object.entries(values).map(([QuotaName, Value], index) => ({ QuotaName, QuotaCode: `L-${index}`, Value })),
});
const build = (buildStatus: string, variables: Record<string, string>, message = '') => ({
  builds: [
    {
      id: 'b:1',
      buildStatus,
      phases: [{ phaseType: 'BUILD', contexts: [{ message }] }],
      exportedEnvironmentVariables: Object.entries(variables).map(([name, value]) => ({ name, value })),
    },
  ],
});
const stream = (...parts: string[]) =>
  Buffer.concat([...parts.map((part) => eventMessage('PayloadChunk', part)), eventMessage('InvokeComplete', '{}')]);
const missing = (name: unknown) => new Refusal('ResourceNotFoundException', `${name} does not exist`, 404);

/** Answers once with a refusal, and then as given: a role that another service does not see yet. */
function afterOne(refusal: Refusal, answer: object) {
  let seen = 0;
  return () => (seen++ === 0 ? refusal : answer);
}

export const inOrder = (): Scenario => ({
  'sts GetCallerIdentity': { Account: ACCOUNT, Arn: `arn:aws:iam::${ACCOUNT}:user/ops`, UserId: 'AIDA' },
  'account POST /getRegionOptStatus': ({ input }) => ({ RegionName: input.RegionName, RegionOptStatus: 'ENABLED' }),
  'ssm GetParameter': { Parameter: { Name: '/cdk-bootstrap/hnb659fds/version', Type: 'String', Value: '28' } },
  'sts AssumeRole': ({ input }) => ({
    AssumedRoleUser: { Arn: `arn:aws:sts::${ACCOUNT}:assumed-role/${String(input.RoleArn).split('/')[1]}/preflight` },
  }),
  'route53 GET /2013-04-01/hostedzone/ZPLATFORM': zone('hosting.example', 'ZPLATFORM'),
  'route53 GET /2013-04-01/hostedzone/ZAPPS': zone('hosted-apps.example', 'ZAPPS'),
  // The record after the one that was asked for, as Route 53 answers.
  'route53 GET /2013-04-01/hostedzone/*/rrset': records('zzz.example.'),
  'cognito-idp DescribeUserPoolDomain': { DomainDescription: {} },
  'ses GET /v2/email/account': {
    ProductionAccessEnabled: true,
    SendingEnabled: true,
    SendQuota: { Max24HourSend: 50_000 },
  },
  'ses GET /v2/email/identities/*': { VerifiedForSendingStatus: true },
  'dsql GET /cluster': { clusters: [] },
  'lambda GET /2018-10-31/layers': { Version: 25, CompatibleArchitectures: ['arm64'] },
  'lambda POST /2015-03-31/functions': afterOne(
    new Refusal('InvalidParameterValueException', 'The role defined for the function cannot be assumed by Lambda.'),
    { FunctionName: 'hosting-prod-preflight', State: 'Pending' },
  ),
  'lambda GET /2015-03-31/functions/*': { Configuration: { State: 'Active' } },
  'lambda POST /2021-10-31/functions/*/url': { FunctionUrl: 'https://x.lambda-url.af-south-1.on.aws/' },
  'lambda POST /2015-03-31/functions/*/policy': { Statement: '{}' },
  'lambda POST /2021-11-15/functions/*/response-streaming-invocations': stream(
    'first',
    JSON.stringify({ kms: 'permitted', dsql: 'permitted' }),
  ),
  'lambda DELETE *': {},
  'iam CreateRole': {},
  'iam PutRolePolicy': {},
  'iam DeleteRolePolicy': {},
  'iam DeleteRole': {},
  'codebuild CreateProject': afterOne(
    new Refusal('InvalidInputException', 'CodeBuild is not authorized to perform: sts:AssumeRole on service role.'),
    { project: { name: 'hosting-prod-preflight' } },
  ),
  'codebuild StartBuild': { build: { id: 'b:1', buildStatus: 'IN_PROGRESS' } },
  'codebuild BatchGetBuilds': build('SUCCEEDED', { MACHINE: 'aarch64', READABLE: 'none' }),
  'codebuild BatchDeleteBuilds': {},
  'codebuild DeleteProject': {},
  'codebuild BatchGetProjects': { projects: [], projectsNotFound: ['hosting-prod-build-af-south-1'] },
  'cloudformation DescribeType': ({ input }) => schema(String(input.TypeName)),
  'cloudformation DescribeStacks': ({ input }) =>
    new Refusal('ValidationError', `Stack with id ${input.StackName} does not exist`),
  'cloudcontrolapi GetResource': ({ input }) =>
    input.TypeName === 'AWS::CloudWatch::Alarm'
      ? new Refusal('UnsupportedActionException', 'The type does not support the action READ')
      : missing(input.Identifier),
  'logs DescribeAccountPolicies': {
    accountPolicies: [{ policyName: 'other', selectionCriteria: 'LogGroupNamePrefix IN ["/aws/lambda/shop-"]' }],
  },
  'secretsmanager DescribeSecret': ({ input }) => missing(input.SecretId),
  's3 HEAD *': new Refusal('NoSuchBucket', '', 404),
  'servicequotas GetServiceQuota': (call) => quota(call, 20_000),
  'servicequotas ListServiceQuotas': listed({
    'Concurrently running builds for ARM/Medium environment': 20,
    'Maximum single-Region clusters per AWS account': 20,
  }),
  'servicequotas ListAWSDefaultServiceQuotas': listed({}),
});

/** An account in which nothing is in order but the credentials: each answer breaks the check of one row. */
export const allWrong = (): Scenario => ({
  ...inOrder(),
  'account POST /getRegionOptStatus': ({ input }) => ({
    RegionOptStatus: input.RegionName === 'eu-west-1' ? 'DISABLED' : 'ENABLED',
  }),
  'ssm GetParameter': ({ region }) =>
    region === 'us-east-1' ? new Refusal('ParameterNotFound', '') : { Parameter: { Value: '5' } },
  'sts AssumeRole': new Refusal('AccessDenied', 'is not authorized to perform: sts:AssumeRole', 403),
  'route53 GET /2013-04-01/hostedzone/ZPLATFORM': zone('other.example', 'ZPLATFORM'),
  'route53 GET /2013-04-01/hostedzone/*/rrset': ({ input }) => records(`${String(input.name).replace('*', '\\052')}`),
  'cognito-idp DescribeUserPoolDomain': { DomainDescription: { UserPoolId: 'af-south-1_1' } },
  'cognito-idp DescribeUserPool': { UserPool: { Id: 'af-south-1_1', Name: 'shop' } },
  'ses GET /v2/email/account': {
    ProductionAccessEnabled: false,
    SendingEnabled: true,
    SendQuota: { Max24HourSend: 200 },
  },
  'ses GET /v2/email/identities/*': { VerifiedForSendingStatus: false },
  'lambda GET /2018-10-31/layers': missing('layer'),
  'lambda POST /2015-03-31/functions/*/policy': new Refusal(
    'PublicPolicyException',
    'BlockPublicAccess prevents public access.',
  ),
  'lambda POST /2021-11-15/functions/*/response-streaming-invocations': stream(
    `first${JSON.stringify({ kms: 'AccessDeniedException', dsql: 'permitted' })}`,
  ),
  'codebuild BatchGetBuilds': build('FAILED', {}, 'ARM_CONTAINER is not available'),
  'cloudformation DescribeType': ({ input: { TypeName: type } }) => {
    if (type === 'AWS::CloudFront::ConnectionGroup') return new Refusal('TypeNotFoundException', 'not found', 404);
    const properties = { UserPoolId: {}, ClientName: {} };
    return schema(String(type), type === 'AWS::Cognito::UserPoolClient' ? { properties } : {});
  },
  'cloudformation DescribeStacks': ({ input: { StackName } }) =>
    StackName === 'hosting-prod-table'
      ? { Stacks: { member: { StackName, StackStatus: 'ROLLBACK_COMPLETE', EnableTerminationProtection: true } } }
      : new Refusal('ValidationError', `Stack with id ${StackName} does not exist`),
  'cloudcontrolapi GetResource': ({ input: { TypeName, Identifier } }) =>
    TypeName === 'AWS::KMS::Alias' ||
    Identifier === `arn:aws:cloudfront::${ACCOUNT}:function/hosting-prod-route-app-af-south-1`
      ? { ResourceDescription: {} }
      : missing(Identifier),
  'logs DescribeAccountPolicies': { accountPolicies: [{ policyName: 'all-logs' }] },
  's3 HEAD *': {},
  'servicequotas GetServiceQuota': (call) => quota(call, 10),
  'servicequotas ListServiceQuotas': listed({ 'Concurrently running builds for ARM/Medium environment': 1 }),
});
