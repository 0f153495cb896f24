/**
 * Names of created resources: the physical name, the value of `Ref` and the values of `Fn::GetAtt`. The table below has the resource
 * types that the platform uses. Other types get names of the usual form.
 */

/** The location of resources. */
export interface AwsLocation {
  account: string;
  region: string;
  /** URL of the queue engine, `http://127.0.0.1:<port>`. */
  queueUrl: string;
  /** The platform's public address, `http://localhost:<port>`. */
  baseUrl: string;
}

interface Kind {
  /** The property that sets the physical name of a resource of this type. */
  nameProperty?: string;
  /** ARN with `{region}`, `{account}`, `{name}`. */
  arn?: string;
  /** True for a version or an alias, whose name consists of the function's name and a qualifier. */
  qualifies?: true;
  /** Value of `Ref`: another template string, or `arn`. Default: the name. */
  ref?: string;
  /** Attributes in addition to `Arn`. */
  attributes?: Record<string, string>;
  /** Maximum length of a physical name. */
  maxLength?: number;
  lowerCase?: boolean;
}

/** Secrets Manager adds six characters to a secret's name in its ARN. */
export const SECRET_SUFFIX = 'aLocal';

/** The only version of a function in the local run: the bundle on disk. */
export const LOCAL_VERSION = '1';

const TABLE_STREAM = 'arn:aws:dynamodb:{region}:{account}:table/{name}/stream/local';

const KINDS: Record<string, Kind> = {
  'AWS::ApiGatewayV2::Api': {
    attributes: { ApiEndpoint: '{baseUrl}', ApiId: '{name}' },
    maxLength: 10,
    lowerCase: true,
  },
  'AWS::ApiGatewayV2::Stage': { nameProperty: 'StageName' },
  'AWS::Backup::BackupVault': { nameProperty: 'BackupVaultName', attributes: { BackupVaultName: '{name}' } },
  'AWS::CloudFront::ConnectionGroup': {
    nameProperty: 'Name',
    arn: 'cloudfront::{account}:connection-group/{name}',
    attributes: { Id: '{name}', RoutingEndpoint: '{name}.cloudfront.localhost' },
  },
  'AWS::CloudFront::Distribution': { arn: 'cloudfront::{account}:distribution/{name}', attributes: { Id: '{name}' } },
  'AWS::CloudFront::Function': {
    nameProperty: 'Name',
    arn: 'cloudfront::{account}:function/{name}',
    ref: 'arn',
    attributes: { FunctionARN: 'arn:aws:cloudfront::{account}:function/{name}' },
  },
  'AWS::CloudFront::KeyValueStore': {
    nameProperty: 'Name',
    arn: 'cloudfront::{account}:key-value-store/{name}',
    attributes: { Id: '{name}', Status: 'READY' },
  },
  'AWS::CloudWatch::Alarm': { nameProperty: 'AlarmName', arn: 'cloudwatch:{region}:{account}:alarm:{name}' },
  'AWS::CloudWatch::CompositeAlarm': { nameProperty: 'AlarmName', arn: 'cloudwatch:{region}:{account}:alarm:{name}' },
  'AWS::CloudWatch::Dashboard': { nameProperty: 'DashboardName' },
  'AWS::CodeBuild::Project': { nameProperty: 'Name', arn: 'codebuild:{region}:{account}:project/{name}' },
  'AWS::CodeDeploy::Application': {
    nameProperty: 'ApplicationName',
    arn: 'codedeploy:{region}:{account}:application:{name}',
  },
  'AWS::CodeDeploy::DeploymentGroup': { nameProperty: 'DeploymentGroupName' },
  'AWS::Cognito::UserPool': {
    nameProperty: 'UserPoolName',
    arn: 'cognito-idp:{region}:{account}:userpool/{name}',
    attributes: { ProviderURL: 'https://cognito-idp.{region}.amazonaws.com/{name}' },
  },
  'AWS::Cognito::UserPoolClient': {},
  'AWS::Cognito::UserPoolDomain': { nameProperty: 'Domain' },
  'AWS::DynamoDB::GlobalTable': {
    nameProperty: 'TableName',
    arn: 'dynamodb:{region}:{account}:table/{name}',
    attributes: { StreamArn: TABLE_STREAM },
  },
  'AWS::DynamoDB::Table': {
    nameProperty: 'TableName',
    arn: 'dynamodb:{region}:{account}:table/{name}',
    attributes: { StreamArn: TABLE_STREAM },
  },
  'AWS::Events::Rule': { nameProperty: 'Name', arn: 'events:{region}:{account}:rule/{name}', maxLength: 64 },
  'AWS::IAM::ManagedPolicy': { nameProperty: 'ManagedPolicyName', arn: 'iam::{account}:policy/{name}', ref: 'arn' },
  'AWS::IAM::Role': {
    nameProperty: 'RoleName',
    arn: 'iam::{account}:role/{name}',
    attributes: { RoleId: 'AROA{name}' },
    maxLength: 64,
  },
  'AWS::KMS::Alias': { nameProperty: 'AliasName', arn: 'kms:{region}:{account}:{name}' },
  'AWS::KMS::Key': { arn: 'kms:{region}:{account}:key/{name}', attributes: { KeyId: '{name}' } },
  'AWS::Lambda::Alias': {
    nameProperty: 'Name',
    arn: 'lambda:{region}:{account}:function:{name}',
    ref: 'arn',
    qualifies: true,
  },
  'AWS::Lambda::CapacityProvider': {
    nameProperty: 'CapacityProviderName',
    arn: 'lambda:{region}:{account}:capacity-provider:{name}',
  },
  'AWS::Lambda::EventSourceMapping': { attributes: { Id: '{name}' } },
  'AWS::Lambda::Function': {
    nameProperty: 'FunctionName',
    arn: 'lambda:{region}:{account}:function:{name}',
    maxLength: 64,
  },
  'AWS::Lambda::LayerVersion': {
    nameProperty: 'LayerName',
    arn: 'lambda:{region}:{account}:layer:{name}:1',
    ref: 'arn',
  },
  'AWS::Lambda::Url': { attributes: { FunctionUrl: 'https://{name}.lambda-url.{region}.on.aws/' } },
  'AWS::Lambda::Version': {
    arn: 'lambda:{region}:{account}:function:{name}',
    ref: 'arn',
    attributes: { Version: LOCAL_VERSION },
    qualifies: true,
  },
  'AWS::Logs::DeliveryDestination': {
    nameProperty: 'Name',
    arn: 'logs:{region}:{account}:delivery-destination:{name}',
  },
  'AWS::Logs::DeliverySource': { nameProperty: 'Name', arn: 'logs:{region}:{account}:delivery-source:{name}' },
  'AWS::Logs::LogGroup': { nameProperty: 'LogGroupName', arn: 'logs:{region}:{account}:log-group:{name}:*' },
  'AWS::S3::Bucket': {
    nameProperty: 'BucketName',
    arn: 's3:::{name}',
    attributes: { DomainName: '{name}.s3.amazonaws.com', RegionalDomainName: '{name}.s3.{region}.amazonaws.com' },
    maxLength: 63,
    lowerCase: true,
  },
  'AWS::SNS::Topic': {
    nameProperty: 'TopicName',
    arn: 'sns:{region}:{account}:{name}',
    ref: 'arn',
    attributes: { TopicName: '{name}', TopicArn: 'arn:aws:sns:{region}:{account}:{name}' },
  },
  'AWS::SQS::Queue': {
    nameProperty: 'QueueName',
    arn: 'sqs:{region}:{account}:{name}',
    ref: '{queueUrl}/{account}/{name}',
    attributes: { QueueName: '{name}', QueueUrl: '{queueUrl}/{account}/{name}' },
    maxLength: 80,
  },
  'AWS::Scheduler::Schedule': {
    nameProperty: 'Name',
    arn: 'scheduler:{region}:{account}:schedule/default/{name}',
    maxLength: 64,
  },
  'AWS::SecretsManager::Secret': {
    nameProperty: 'Name',
    arn: `secretsmanager:{region}:{account}:secret:{name}-${SECRET_SUFFIX}`,
    ref: 'arn',
  },
  'AWS::StepFunctions::StateMachine': {
    nameProperty: 'StateMachineName',
    arn: 'states:{region}:{account}:stateMachine:{name}',
    ref: 'arn',
    attributes: { Name: '{name}' },
    maxLength: 80,
  },
  'AWS::WAFv2::WebACL': { nameProperty: 'Name' },
};

/** The names of one resource. */
export interface Names {
  name: string;
  arn: string;
  ref: string;
  attribute(name: string): string;
}

/** Length of the stack's name at the beginning of a shortened name. Policies identify resources by this prefix. */
const STACK_CHARACTERS = 24;

/** Shortens a generated name as CloudFormation does: keeps the beginning of the stack's name, and the end with the logical id's hash. */
function shorten(name: string, maxLength: number): string {
  if (name.length <= maxLength) return name;
  const beginning = maxLength > 2 * STACK_CHARACTERS ? name.slice(0, STACK_CHARACTERS) : '';
  return beginning + name.slice(beginning.length - maxLength);
}

/** Returns the names of a resource. @param propertyOf returns one of its resolved properties */
export function nameResource(
  type: string,
  stackName: string,
  logicalId: string,
  location: AwsLocation,
  propertyOf: (property: string) => string | undefined,
): Names {
  const [, service = 'custom', resource = 'resource'] = type.split('::');
  const kind = KINDS[type] ?? {};
  const generated = shorten(`${stackName}-${logicalId}`, kind.maxLength ?? 128).replace(/^[^A-Za-z0-9]+/, '');
  const physicalName =
    (kind.nameProperty && propertyOf(kind.nameProperty)) || (kind.lowerCase ? generated.toLowerCase() : generated);
  const name = kind.qualifies
    ? `${propertyOf('FunctionName')}:${kind.nameProperty ? physicalName : LOCAL_VERSION}`
    : physicalName;
  const fill = (text: string): string =>
    text.replace(/\{(\w+)\}/g, (_, key: string) =>
      key === 'name' ? name : (location[key as keyof AwsLocation] ?? ''),
    );
  const usualArn = `${service.toLowerCase()}:{region}:{account}:${resource.toLowerCase()}/{name}`;
  const arn = `arn:aws:${fill(kind.arn ?? usualArn)}`;
  return {
    name,
    arn,
    ref: kind.ref === 'arn' ? arn : fill(kind.ref ?? '{name}'),
    attribute: (attribute) => (attribute === 'Arn' ? arn : fill(kind.attributes?.[attribute] ?? `{name}.${attribute}`)),
  };
}
