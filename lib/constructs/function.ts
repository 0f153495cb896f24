import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, Code, Function as LambdaFunction, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { functionFolder } from '../build/bundles.ts';
import type { Platform } from '../stacks/platform-stack.ts';
import { LOG_RETENTION } from './logs.ts';
import { explainWildcards, policyOf, type Right, type Use } from './rights.ts';

export interface FunctionNeeds {
  /** Why and how it is called; shown in the console. */
  description: string;
  /** What it works with; variables and rights follow from this and from nothing else. */
  uses: Use[];
  /** Seconds; 10 unless told. */
  timeout?: number;
  /** MiB; 1024 unless told: processor comes with memory, and a cold start is mostly processor. */
  memory?: number;
}

/**
 * One function of ours: the bundle `<group>/<name>` under the name `<prefix>-<group>-<name>`, arm64, Node 24, traced, with
 * a log group of its own and a role that can do what `uses` says.
 */
export class PlatformFunction extends Construct {
  readonly lambda: LambdaFunction;
  /** The physical name as text: other stacks may use it without being tied to this one. */
  readonly functionName: string;

  constructor(scope: Construct, platform: Platform, name: string, needs: FunctionNeeds) {
    super(
      scope,
      name.replace(/(?:^|\/)./g, (start) => start.slice(-1).toUpperCase()),
    );
    this.functionName = platform.names.function(name);
    const logs = platform.names.logs(`/aws/lambda/${this.functionName}`);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: logs.name,
      retention: LOG_RETENTION,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const rights = [...needs.uses.flatMap((use) => use.rights ?? []), ...observability(logs.arn)];
    const role = new Role(this, 'Role', {
      description: `${name}: what it needs and no more`,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { needs: policyOf(rights) },
    });
    explainWildcards(role, rights);
    this.lambda = new LambdaFunction(this, 'Function', {
      functionName: this.functionName,
      description: needs.description,
      architecture: Architecture.ARM_64,
      runtime: Runtime.NODEJS_24_X,
      code: Code.fromAsset(functionFolder(platform.bundles, name), platform.asset(name)),
      handler: 'index.handler',
      timeout: Duration.seconds(needs.timeout ?? 10),
      memorySize: needs.memory ?? 1024,
      tracing: Tracing.ACTIVE,
      logGroup,
      // What CDK would add to the role on its own account is left out: the list above is the whole truth.
      role: role.withoutPolicyUpdates(),
      environment: Object.assign({}, everywhere(platform), ...needs.uses.map((use) => use.variables)),
    });
  }
}

/** The variables that all functions have (runtime/config.ts reads them). */
function everywhere({ config, names }: Platform): Record<string, string> {
  return {
    STAGE: config.stage,
    TABLE_NAME: names.table.name,
    PUBLIC_URL: config.publicUrl,
    APPS_DOMAIN: config.appsDomain,
    RATE_LIMIT_SECRET: String(config.rateLimitSecret),
    RATE_LIMIT_PUBLIC: String(config.rateLimitPublic),
    RATE_LIMIT_ANONYMOUS: String(config.rateLimitAnonymous),
    RATE_LIMIT_LOGIN: String(config.rateLimitLogin),
    APP_FUNCTION_ARN_PREFIX: names.appFunctions.arnPrefix,
  };
}

function observability(logs: string): Right[] {
  return [
    {
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      on: [logs],
      wildcard: 'the streams of its own log group, which Lambda names',
    },
    {
      actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
      on: ['*'],
      wildcard: 'X-Ray knows no resources',
    },
  ];
}
