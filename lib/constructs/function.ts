import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  Code,
  type IFunction,
  type IVersion,
  Function as LambdaFunction,
  Runtime,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { functionFolder } from '../build/bundles.ts';
import { cellRoleArn, cellsOf } from '../cells.ts';
import { aiCallsPerAccount, reservedConcurrency } from '../concurrency.ts';
import type { Platform } from '../stacks/platform-stack.ts';
import { LIVE, shiftByCanary } from './canary.ts';
import { LOG_RETENTION } from './logs.ts';
import type { ManagedInstances } from './managed-instances.ts';
import { explainWildcards, policyOf, type Right, type Use } from './rights.ts';

export interface FunctionNeeds {
  /** Trigger and purpose, shown in the AWS console. */
  description: string;
  /** Resources that the function uses. They determine its environment variables and permissions. */
  uses: Use[];
  /** Timeout in seconds. Default: that of the API's reads. */
  timeout?: number;
  /** Managed instances to run on instead of on-demand capacity. One environment there serves many concurrent invocations. */
  instances?: ManagedInstances;
  /** Memory in MiB. Default: 1024. The CPU share grows with memory, and a cold start is mostly CPU time. */
  memory?: number;
}

/**
 * A platform function: the bundle `<group>/<name>` as `<prefix>-<group>-<name>`, on arm64 and Node 24, with its own log group and a role limited
 * to what `uses` grants. It is traced unless it runs on a schedule. Triggers invoke its alias `live`. Operators invoke `operator/…` manually by
 * name, so these functions have no alias.
 */
export class PlatformFunction extends Construct {
  /** The alias that triggers invoke (lib/constructs/canary.ts); for `operator/…` the function itself. */
  readonly live: IFunction;
  /** The physical name as text, so that other stacks can use it without a dependency on this one. */
  readonly functionName: string;
  /** The right to invoke any version of the function. */
  readonly invocation: Right;

  constructor(scope: Construct, platform: Platform, name: string, needs: FunctionNeeds) {
    // Lambda cannot move a function from instances back to on-demand capacity, so the function on instances is a separate one.
    const physical = needs.instances ? `${name}-managed` : name;
    super(
      scope,
      physical.replace(/(?:^|[/-])./g, (start) => start.slice(-1).toUpperCase()),
    );
    this.functionName = platform.names.function(physical);
    const { arn } = platform.names.lambda(this.functionName);
    this.invocation = {
      actions: ['lambda:InvokeFunction'],
      on: [arn, `${arn}:*`],
      wildcard: 'messages of failed invocations may name a version or an alias of the function',
    };
    const logs = platform.names.logs(`/aws/lambda/${this.functionName}`);
    const logGroup = new LogGroup(this, 'Logs', {
      logGroupName: logs.name,
      retention: LOG_RETENTION,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const rights = [
      ...needs.uses.flatMap((use) => use.rights ?? []),
      ...this.rightsInCells(platform, needs.uses),
      ...observability(logs.arn),
    ];
    const role = new Role(this, 'Role', {
      description: `${name}: the permissions it needs and no others`,
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
      inlinePolicies: { needs: policyOf(rights) },
    });
    explainWildcards(role, rights);
    // Managed instances do not use the account's concurrency, so there is nothing to reserve.
    const reserved = needs.instances ? undefined : reservedConcurrency(platform.config, name);
    const latest = new LambdaFunction(this, 'Function', {
      ...(reserved === undefined ? {} : { reservedConcurrentExecutions: reserved }),
      functionName: this.functionName,
      description: needs.description,
      architecture: Architecture.ARM_64,
      runtime: Runtime.NODEJS_24_X,
      code: Code.fromAsset(functionFolder(platform.bundles, name), platform.asset(name)),
      handler: 'index.handler',
      timeout: Duration.seconds(needs.timeout ?? TIMEOUTS_S.api.read),
      memorySize: needs.memory ?? 1024,
      // Scheduled jobs also run without traffic, and every run would be a paid trace without information.
      tracing: name.startsWith('schedule/') ? Tracing.PASS_THROUGH : Tracing.ACTIVE,
      logGroup,
      // Prevents CDK from adding policies to the role: the list above is complete.
      role: role.withoutPolicyUpdates(),
      environment: Object.assign({}, commonEnvironment(platform), ...needs.uses.map((use) => use.variables)),
    });
    needs.instances?.run(latest);
    if (name.startsWith('operator/')) {
      this.live = latest;
      return;
    }
    // CDK's own types do not agree with exactOptionalPropertyTypes.
    const version = latest.currentVersion as IVersion;
    const live = new Alias(this, 'Live', { aliasName: LIVE, version });
    this.live = live as IFunction;
    // AWS does not document aliases that split invocations between two versions for managed instances.
    if (!needs.instances) shiftByCanary(this, platform, name, live);
  }

  /** Returns the permission to work in the other hosting cells, whose stacks create a role for this function. */
  private rightsInCells(platform: Platform, uses: readonly Use[]): Right[] {
    const inCells = uses.flatMap((use) => use.inCells ?? []);
    const cells = cellsOf(platform.config);
    if (inCells.length === 0 || cells.length === 0) return [];
    const { functionName } = this;
    platform.cellRoles.push({ functionName, inCells });
    return [{ actions: ['sts:AssumeRole'], on: cells.map((cell) => cellRoleArn(cell, functionName)) }];
  }
}

/** Returns the ARNs that a state machine invokes for its steps, by step name. */
export const arnsOf = <Step extends string>(steps: Record<Step, PlatformFunction>): Record<Step, string> =>
  Object.fromEntries(
    Object.entries<PlatformFunction>(steps).map(([step, { live }]) => [step, live.functionArn]),
  ) as Record<Step, string>;

/** Returns the environment variables of all functions (read by runtime/config.ts). */
function commonEnvironment({ config, names }: Platform): Record<string, string> {
  const aiCalls = aiCallsPerAccount(config);
  return {
    ...(aiCalls === undefined ? {} : { AI_CALLS_PER_ACCOUNT: String(aiCalls) }),
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
      wildcard: 'log streams of its own log group, whose names Lambda chooses',
    },
    {
      actions: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
      on: ['*'],
      wildcard: 'X-Ray has no resource-level permissions',
    },
  ];
}
