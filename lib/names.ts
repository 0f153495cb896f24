import { Aws } from 'aws-cdk-lib/core';
import type { Config } from './config.ts';
import { bucketName } from './derived-names.ts';

/**
 * Returns the physical names of all resources. The platform chooses them instead of CloudFormation, so that stacks can refer to each other by
 * name without exports, which would couple them, and permissions can name exact resources.
 */
export function namesOf(config: Config) {
  const { prefix, region, buildRegion } = config;
  const account = config.account ?? Aws.ACCOUNT_ID;
  const inRegion = (arnRegion: string) => (service: string, resource: string) =>
    `arn:aws:${service}:${arnRegion}:${account}:${resource}`;
  const arn = inRegion(region);
  const machine = (name: string) => ({
    name: `${prefix}-${name}`,
    arn: arn('states', `stateMachine:${prefix}-${name}`),
    executions: arn('states', `execution:${prefix}-${name}:*`),
  });
  /** Returns a name that is unique in the whole account, because another installation may have the same stage in another region. */
  const global = (name: string) => `${prefix}-${name}-${region}`;
  const role = (name: string) => ({ name: global(name), arn: `arn:aws:iam::${account}:role/${global(name)}` });
  const bucket = (label: string) => {
    const name = bucketName({ prefix, name: label, account, region });
    return { name, arn: `arn:aws:s3:::${name}` };
  };
  // Secrets Manager adds six characters to the name in the ARN.
  const secret = (name: string) => ({
    name: `${prefix}-${name}`,
    arn: arn('secretsmanager', `secret:${prefix}-${name}-??????`),
  });
  return {
    global,
    /** The table in use: the table created by the stacks, or a restored table that replaces it. */
    table: { name: config.table ?? prefix, arn: arn('dynamodb', `table/${config.table ?? prefix}`) },
    /** The table that the stacks create. */
    ownTable: prefix,
    /** The vault with the copies of the table, in another region. */
    backupCopies: (backupRegion: string) => ({
      name: global('table-copies'),
      arn: inRegion(backupRegion)('backup', `backup-vault:${global('table-copies')}`),
    }),
    /** The bucket with the copies of artifacts, in the same region. */
    artifactCopies: bucket('artifact-copies'),
    artifactCopier: role('artifact-copier'),
    /** Contains the account, because bucket names are unique across all accounts. */
    builds: bucket('builds'),
    /** The bucket of a hosting cell with the code that Lambda is about to load. */
    code: bucket('code'),
    /** The dashboard's files. */
    webApp: bucket('web-app'),
    accessLogs: bucket('access-logs'),
    /** The log of the API's requests. It is not a prefix of another stage's name (lib/constructs/logs.ts). */
    accessLog: `/aws/vendedlogs/apis/${prefix}/requests`,
    buildProject: { name: global('build'), arn: inRegion(buildRegion)('codebuild', `project/${global('build')}`) },
    buildLogs: {
      name: `/aws/codebuild/${global('build')}`,
      arn: inRegion(buildRegion)('logs', `log-group:/aws/codebuild/${global('build')}:*`),
    },
    /** The role whose sessions sign the requests of builds. */
    buildAccessRole: role('build-access'),
    /** The role through which operators repair applications in other hosting cells. */
    repairRole: role('repair'),
    /** The role whose sessions sign links to exports. */
    exportAccessRole: role('export-access'),
    deployment: machine('deployment'),
    teardown: machine('teardown'),
    hosting: machine('hosting'),
    database: machine('database'),
    domain: machine('domain'),
    door: machine('door'),
    distribution: (id: string) => `arn:aws:cloudfront::${account}:distribution/${id}`,
    /** Tenants of the multi-tenant distribution, one per custom domain. */
    tenants: `arn:aws:cloudfront::${account}:distribution-tenant/*`,
    /** An identity of SES: a domain or an address. */
    mailIdentity: (name: string) => inRegion(config.mailRegion)('ses', `identity/${name}`),
    edgeCertificates: `arn:aws:acm:us-east-1:${account}:certificate/*`,
    databases: `arn:aws:dsql:${config.databaseRegion}:${account}:cluster/*`,
    /** The role whose sessions sign the passwords of databases. */
    databaseAccessRole: role('database-access'),
    databaseServiceRole: `arn:aws:iam::${account}:role/aws-service-role/dsql.amazonaws.com/AWSServiceRoleForAuroraDsql`,
    /** Functions of applications, which are named with this prefix and the application's id. */
    appFunctions: {
      prefix: `${prefix}-app-`,
      logPrefix: `/aws/lambda/${prefix}-app-`,
      arnPrefix: arn('lambda', `function:${prefix}-app-`),
      logs: arn('logs', `log-group:/aws/lambda/${prefix}-app-*`),
    },
    appRole: role('app'),
    appAdapterLayer: `arn:aws:lambda:${region}:753240598075:layer:LambdaAdapterLayerArm64:${config.adapterLayerVersion}`,
    originSecret: secret('origin'),
    providerKeys: secret('ai-provider-keys'),
    paymentsKey: secret('payments-key'),
    function: (name: string) => `${prefix}-${name.replace('/', '-')}`,
    lambda: (functionName: string) => ({ arn: arn('lambda', `function:${functionName}`) }),
    /** The functions of a group, such as `api`, with a qualifier or without. */
    functionsOf: (group: string, qualifier = '') => arn('lambda', `function:${prefix}-${group}-*${qualifier}`),
    queue: (name: string) => `${prefix}-${name}`,
    /** The topic of the region's alarms of a kind: `pages`, `tickets`. */
    alarmTopic: (kind: string) => ({ name: `${prefix}-${kind}`, arn: arn('sns', `${prefix}-${kind}`) }),
    logs: (name: string) => ({ name, arn: arn('logs', `log-group:${name}:*`) }),
  };
}

export type Names = ReturnType<typeof namesOf>;
