import { Aws } from 'aws-cdk-lib/core';
import type { Config } from './config.ts';

/**
 * Returns the physical names of all resources. The platform chooses them instead of CloudFormation, so that stacks
 * refer to each other by name without exports that tie one to the other, and permissions name exact resources.
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
  // Secrets Manager adds six characters to the name in the ARN.
  const secret = (name: string) => ({
    name: `${prefix}-${name}`,
    arn: arn('secretsmanager', `secret:${prefix}-${name}-??????`),
  });
  return {
    table: { name: prefix, arn: arn('dynamodb', `table/${prefix}`) },
    /** Contains the account because bucket names are globally unique. */
    builds: { name: `${prefix}-builds-${account}`, arn: `arn:aws:s3:::${prefix}-builds-${account}` },
    /** The dashboard's files. */
    webApp: { name: `${prefix}-web-app-${account}`, arn: `arn:aws:s3:::${prefix}-web-app-${account}` },
    buildProject: { name: `${prefix}-build`, arn: arn('codebuild', `project/${prefix}-build`) },
    /** The role whose sessions sign the requests of builds. */
    buildAccessRole: { name: `${prefix}-build-access`, arn: `arn:aws:iam::${account}:role/${prefix}-build-access` },
    /** Created by Step Functions to receive the events of finished builds. */
    startBuildRule: arn('events', 'rule/StepFunctionsGetEventForCodeBuildStartBuildRule'),
    deployment: machine('deployment'),
    teardown: machine('teardown'),
    hosting: machine('hosting'),
    database: machine('database'),
    domain: machine('domain'),
    door: machine('door'),
    distribution: (id: string) => `arn:aws:cloudfront::${account}:distribution/${id}`,
    /** Tenants of the multi-tenant distribution, one per custom domain. */
    tenants: `arn:aws:cloudfront::${account}:distribution-tenant/*`,
    edgeCertificates: `arn:aws:acm:us-east-1:${account}:certificate/*`,
    databases: `arn:aws:dsql:${config.databaseRegion}:${account}:cluster/*`,
    databaseServiceRole: `arn:aws:iam::${account}:role/aws-service-role/dsql.amazonaws.com/AWSServiceRoleForAuroraDsql`,
    /** An application's function is named with this prefix and the application's id. */
    appFunctions: {
      prefix: `${prefix}-app-`,
      arnPrefix: arn('lambda', `function:${prefix}-app-`),
      logs: arn('logs', `log-group:/aws/lambda/${prefix}-app-*`),
    },
    appRole: { name: `${prefix}-app`, arn: `arn:aws:iam::${account}:role/${prefix}-app` },
    appAdapterLayer: `arn:aws:lambda:${region}:753240598075:layer:LambdaAdapterLayerArm64:${config.adapterLayerVersion}`,
    originSecret: secret('origin'),
    providerKeys: secret('ai-provider-keys'),
    paymentsKey: secret('payments-key'),
    function: (name: string) => `${prefix}-${name.replace('/', '-')}`,
    queue: (name: string) => `${prefix}-${name}`,
    logs: (name: string) => ({ name, arn: arn('logs', `log-group:${name}:*`) }),
  };
}

export type Names = ReturnType<typeof namesOf>;
