import { Aws } from 'aws-cdk-lib/core';
import type { Config } from './config.ts';

/**
 * Every physical name there is. Names are ours and not CloudFormation's, so that stacks know each other by name (no exports
 * that lock one to the other) and rights can say exactly what they are about.
 */
export function namesOf(config: Config) {
  const { prefix, region } = config;
  const account = config.account ?? Aws.ACCOUNT_ID;
  const arn = (service: string, resource: string) => `arn:aws:${service}:${region}:${account}:${resource}`;
  const machine = (name: string) => ({
    name: `${prefix}-${name}`,
    arn: arn('states', `stateMachine:${prefix}-${name}`),
    executions: arn('states', `execution:${prefix}-${name}:*`),
  });
  return {
    table: { name: prefix, arn: arn('dynamodb', `table/${prefix}`) },
    /** The account is in it because bucket names are shared by the whole world. */
    builds: { name: `${prefix}-builds-${account}`, arn: `arn:aws:s3:::${prefix}-builds-${account}` },
    /** The dashboard's files. */
    webApp: { name: `${prefix}-web-app-${account}`, arn: `arn:aws:s3:::${prefix}-web-app-${account}` },
    buildProject: { name: `${prefix}-build`, arn: arn('codebuild', `project/${prefix}-build`) },
    /** Step Functions makes it, to hear of builds that end. */
    startBuildRule: arn('events', 'rule/StepFunctionsGetEventForCodeBuildStartBuildRule'),
    deployment: machine('deployment'),
    teardown: machine('teardown'),
    hosting: machine('hosting'),
    database: machine('database'),
    domain: machine('domain'),
    door: machine('door'),
    distribution: (id: string) => `arn:aws:cloudfront::${account}:distribution/${id}`,
    /** Of own domains, in the multi-tenant distribution. */
    tenants: `arn:aws:cloudfront::${account}:distribution-tenant/*`,
    edgeCertificates: `arn:aws:acm:us-east-1:${account}:certificate/*`,
    databases: `arn:aws:dsql:${config.databaseRegion}:${account}:cluster/*`,
    databaseServiceRole: `arn:aws:iam::${account}:role/aws-service-role/dsql.amazonaws.com/AWSServiceRoleForAuroraDsql`,
    /** An application's function is named this and its id. */
    appFunctions: {
      prefix: `${prefix}-app-`,
      arnPrefix: arn('lambda', `function:${prefix}-app-`),
      logs: arn('logs', `log-group:/aws/lambda/${prefix}-app-*`),
    },
    appRole: { name: `${prefix}-app`, arn: `arn:aws:iam::${account}:role/${prefix}-app` },
    appAdapterLayer: `arn:aws:lambda:${region}:753240598075:layer:LambdaAdapterLayerArm64:${config.adapterLayerVersion}`,
    originSecret: `${prefix}-origin`,
    providerKeys: `${prefix}-ai-provider-keys`,
    paymentsKey: `${prefix}-payments-key`,
    function: (name: string) => `${prefix}-${name.replace('/', '-')}`,
    queue: (name: string) => `${prefix}-${name}`,
    logs: (name: string) => ({ name, arn: arn('logs', `log-group:${name}:*`) }),
  };
}

export type Names = ReturnType<typeof namesOf>;
