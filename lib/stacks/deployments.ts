import { AccountPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { cellRoleArn, cellsOf } from '../cells.ts';
import { databaseUses } from '../constructs/database-rights.ts';
import { arnsOf, PlatformFunction } from '../constructs/function.ts';
import { policyOf, type Right, type Use } from '../constructs/rights.ts';
import { Machine } from '../constructs/state-machine.ts';
import { deploymentMachine, teardownMachine } from '../state-machines/deployments.ts';
import type { AppHostingStack } from './app-hosting.ts';
import type { BuildsStack } from './builds.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';
import type { TableStack } from './table.ts';

interface Neighbors {
  table: TableStack;
  appHosting: AppHostingStack;
  builds: BuildsStack;
}

const T = TIMEOUTS_S.release;

/** Returns the resources and timeouts (in seconds) of the steps. */
function stepsOf(
  { config }: Platform,
  { table, appHosting, builds }: Neighbors,
  clusters: ReturnType<typeof databaseUses>,
) {
  const state = [table.read, table.write];
  // With cells, variables must also be encrypted, because they are encrypted again for a function in another cell.
  const variables = config.cells.length > 0 ? appHosting.seal : appHosting.unseal;
  return {
    beginDeployment: {
      timeout: T.begin,
      uses: [...state, builds.order, builds.grantAccess, variables, appHosting.openDeployKey, clusters.createPasswords],
    },
    submitBuild: { timeout: TIMEOUTS_S.build.submit, uses: [...state, builds.submit, builds.stop] },
    // Needs little memory, because it mostly waits.
    watchBuild: {
      timeout: TIMEOUTS_S.build.watcher,
      memory: 256,
      uses: [...state, builds.watch, builds.stop, builds.readResults],
    },
    releaseDeployment: { timeout: T.release, uses: [...state, builds.collect, appHosting.release] },
    checkRelease: {
      timeout: T.check,
      uses: [...state, appHosting.check, appHosting.readLogs, builds.readEnvironment, appHosting.unseal],
    },
    switchRelease: { timeout: T.switch, uses: [...state, appHosting.switch, appHosting.access] },
    succeedDeployment: { timeout: T.record, uses: state },
    failDeployment: { timeout: T.record, uses: [...state, builds.readResults] },
    pruneReleases: { timeout: T.prune, uses: [...state, appHosting.prune, builds.discard] },
    teardownApp: {
      timeout: T.teardown,
      uses: [...state, appHosting.remove, builds.remove, clusters.remove, clusters.create],
    },
    moveApp: {
      timeout: TIMEOUTS_S.move.function,
      // Holds the code of a release in memory.
      memory: 1024,
      uses: [
        ...state,
        builds.move,
        appHosting.seal,
        appHosting.release,
        appHosting.check,
        appHosting.switch,
        appHosting.access,
        appHosting.remove,
      ],
    },
  };
}

/** The deployment pipeline: a state machine for deployments and moves, one that removes applications, and their functions. */
export class DeploymentsStack extends PlatformStack {
  /** Stops executions of deployments. */
  readonly stop: Use;
  /** Starts executions, and stops executions of deployments with their builds. */
  readonly start: Use;
  /** Reads the status of deployments' executions, starts missing executions, and repeats teardowns. */
  readonly supervise: Use;

  constructor(platform: Platform, neighbors: Neighbors) {
    super(platform, 'deployments', 'The deployment pipeline: state machines and their functions');
    const { names } = platform;
    for (const neighbor of Object.values(neighbors)) this.addStackDependency(neighbor);

    const needs = stepsOf(platform, neighbors, databaseUses(platform));
    const step = (name: keyof typeof needs) =>
      new PlatformFunction(this, platform, `workflow/${name}`, {
        description: `A step of a state machine: ${name}`,
        ...needs[name],
      });

    const steps = {
      beginDeployment: step('beginDeployment'),
      submitBuild: step('submitBuild'),
      watchBuild: step('watchBuild'),
      releaseDeployment: step('releaseDeployment'),
      checkRelease: step('checkRelease'),
      switchRelease: step('switchRelease'),
      succeedDeployment: step('succeedDeployment'),
      failDeployment: step('failDeployment'),
      pruneReleases: step('pruneReleases'),
      moveApp: step('moveApp'),
    };
    new Machine(this, platform, 'deployment', {
      definition: deploymentMachine(arnsOf(steps)),
      functions: Object.values(steps),
    });

    this.letOperatorsRepair(platform, steps.moveApp);

    const teardown = { teardownApp: step('teardownApp') };
    new Machine(this, platform, 'teardown', {
      definition: teardownMachine(arnsOf(teardown)),
      functions: Object.values(teardown),
    });

    const { builds } = neighbors;
    const variables = {
      ...builds.stop.variables,
      DEPLOYMENT_STATE_MACHINE_ARN: names.deployment.arn,
      TEARDOWN_STATE_MACHINE_ARN: names.teardown.arn,
    };
    const onDeployments = (action: string): Right => ({
      actions: [`states:${action}`],
      on: [names.deployment.executions],
      wildcard: 'executions are named after deployments and moves',
    });
    this.stop = {
      variables: { DEPLOYMENT_STATE_MACHINE_ARN: names.deployment.arn },
      rights: [onDeployments('StopExecution')],
    };
    const start = [
      { actions: ['states:StartExecution'], on: [names.deployment.arn, names.teardown.arn] },
      onDeployments('StopExecution'),
      ...(builds.stop.rights ?? []),
    ];
    this.start = { variables, rights: start };
    this.supervise = { variables, rights: [...start, onDeployments('DescribeExecution')] };
  }

  /**
   * Creates the role with which `npm run operate -- repair` acts as a function in other hosting cells, because cells trust only roles with the
   * platform's names. The account's administrators decide who may assume it.
   */
  private letOperatorsRepair({ config, names }: Platform, { functionName }: PlatformFunction): void {
    const cells = cellsOf(config);
    if (cells.length === 0 || config.account === undefined) return;
    const on = cells.map((cell) => cellRoleArn(cell, functionName));
    new Role(this, 'Repair', {
      roleName: names.repairRole.name,
      description: 'Operators: releases applications in other hosting cells again (npm run operate -- repair)',
      assumedBy: new AccountPrincipal(config.account),
      inlinePolicies: { cells: policyOf([{ actions: ['sts:AssumeRole'], on }]) },
    });
  }
}
