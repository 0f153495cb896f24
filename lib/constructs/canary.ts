import { Alarm } from 'aws-cdk-lib/aws-cloudwatch';
import { LambdaApplication, LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { type IRole, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Alias, IVersion } from 'aws-cdk-lib/aws-lambda';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { PRODUCTS } from '../../contract/limits/service-levels.ts';
import type { Config } from '../config.ts';
import type { Platform } from '../stacks/platform-stack.ts';
import { explainWildcards, policyOf, type Right } from './rights.ts';

/** The alias through which triggers invoke a function. */
export const LIVE = 'live';

/**
 * Groups of functions with enough traffic for a canary, because they continuously handle requests and messages. Steps of state machines,
 * scheduled jobs and operators' requests are too few, so their aliases move immediately.
 */
const CANARY_GROUPS = ['api', 'dashboard', 'ai', 'stream', 'queue'];

/**
 * Returns the names of the alarms that roll a release back: those on the shortest window of each product's burn rate. The paging alarm also
 * requires a longer window, in which five minutes of a tenth of the requests have no visible effect.
 */
export const releaseAlarms = ({ prefix }: Pick<Config, 'prefix'>): string[] =>
  PRODUCTS.map((product) => `${prefix}-${product}-5m`);

/**
 * Lets CodeDeploy move an alias to a new version: a tenth of the invocations for five minutes, then all. If an alarm goes off, CodeDeploy rolls
 * back and the update of the stack fails (docs/decisions/0057-releases-and-restore.md).
 */
export function shiftByCanary(scope: Construct, platform: Platform, name: string, alias: Alias): void {
  const [group = ''] = name.split('/');
  if (platform.config.canary === 'off' || !CANARY_GROUPS.includes(group)) return;
  const stack = Stack.of(scope);
  const found = stack.node.tryFindChild('Canary');
  const canary = found instanceof Canary ? found : new Canary(stack, platform);
  const { application, role, alarms } = canary;
  canary.publishInSequence(alias.version);
  new LambdaDeploymentGroup(scope, 'Canary', {
    application,
    deploymentGroupName: platform.names.function(name),
    role,
    alias,
    deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
    alarms,
    autoRollback: { deploymentInAlarm: true, failedDeployment: true, stoppedDeployment: true },
  });
}

/** The application, role and alarms that the deployment groups of a stack share. */
class Canary extends Construct {
  readonly application: LambdaApplication;
  readonly role: IRole;
  readonly alarms: ReturnType<typeof Alarm.fromAlarmName>[];
  #last: IVersion | undefined;

  constructor(stack: Stack, { config, names }: Platform) {
    super(stack, 'Canary');
    this.application = new LambdaApplication(this, 'Application', { applicationName: stack.stackName });
    const rights: Right[] = [
      // https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSCodeDeployRoleForLambdaLimited.html, without hooks
      {
        actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
        on: CANARY_GROUPS.map((group) => names.functionsOf(group)),
        wildcard: 'the functions that go live by a canary, by the groups that their names begin with',
      },
      {
        actions: ['cloudwatch:DescribeAlarms'],
        on: ['*'],
        wildcard: 'CodeDeploy reads alarms by their names, as its managed policy allows',
      },
    ];
    const role = new Role(this, 'Role', {
      description: 'CodeDeploy: moves aliases to new versions, and back',
      assumedBy: new ServicePrincipal('codedeploy.amazonaws.com'),
      inlinePolicies: { needs: policyOf(rights) },
    });
    explainWildcards(role, rights);
    this.role = role.withoutPolicyUpdates();
    this.alarms = releaseAlarms(config).map((name) => Alarm.fromAlarmName(this, name, name));
  }

  /**
   * Makes a version depend on the version of the previous canary. An alias starts to move as soon as its version exists. Concurrently, the
   * aliases would cause more changes a second than Lambda accepts from an account, and CodeDeploy's deployments would fail.
   */
  publishInSequence(version: IVersion): void {
    if (this.#last) version.node.addDependency(this.#last);
    this.#last = version;
  }
}
