import { expect } from 'vitest';
import { clearNextBuild, enqueueBuild } from '../../domain/deployments/build-queue.ts';
import { newDeployment } from '../../domain/deployments/deployment.ts';
import { recordFailure } from '../../domain/deployments/failure.ts';
import { succeedDeployment } from '../../domain/deployments/finish.ts';
import { admitBuild, buildQueue } from '../../domain/deployments/scheduler.ts';
import { sweep } from '../../domain/sweep/sweep.ts';
import type { Builds } from '../../providers/builds/builds.ts';
import { reportBuildQueues, reportFailure, reportSuccess } from '../../runtime/observability/deployment-metrics.ts';
import { NextBuild } from '../../table/entities/deployments.ts';
import { newSimulatedAccount } from '../simulation/account.ts';
import { deploymentSimulation } from '../simulation/deployments.ts';
import { simulation } from '../simulation/simulation.ts';
import type { Scene, Walk } from '../support/walks.ts';

/** A deployment each minute, whose step fails for the platform while it is broken. */
async function failingDeployments(): Promise<Scene> {
  const { deps, ids, clock, deployments } = await deploymentSimulation();
  const builds = { readResult: async () => ({}) } as unknown as Builds;
  let isBroken = false;
  return {
    clock,
    deps,
    breakIt: () => {
      isBroken = true;
    },
    async minute() {
      const { id: deploymentId, write } = newDeployment(deps, ids, 'API');
      await deps.table.transact([write]);
      const of = { ...ids, deploymentId };
      if (isBroken) {
        const error = { Error: 'ServiceException', Cause: '{"errorMessage":"Lambda is not available"}' };
        reportFailure(of, await recordFailure({ ...deps, builds }, { ...of, error }));
      } else {
        await succeedDeployment(deps, of);
        reportSuccess(of);
      }
    },
    whileBroken: () => expect(deployments().at(-1)?.notes.at(-1)).toContain('Deploying again is safe'),
    steps: [
      {
        words: 'Continue with what failed',
        act: () => {
          isBroken = false;
        },
      },
    ],
    whenOver: () => expect(deployments().at(-1)?.status).toBe('SUCCEEDED'),
  };
}

/** A builder that is busy, and three accounts whose builds wait behind it. */
async function waitingBuilds(): Promise<Scene> {
  const { memory, clock, steady } = simulation();
  const { deps } = steady;
  const accounts = ['acc_a', 'acc_b', 'acc_c'];
  await deps.table.transact(accounts.map((id) => newSimulatedAccount(id, { limits: { concurrentBuilds: 5 } })));
  const deploy = async (accountId: string) => {
    const of = { accountId, applicationId: `app_of_${accountId}` };
    const { id, write } = newDeployment(deps, of, 'API');
    await deps.table.transact([write, ...enqueueBuild(deps, { ...of, id })]);
    await admitBuild(deps, accountId);
  };
  const startNext = async () => {
    const next = await deps.table.get(NextBuild, {});
    if (!next) return;
    await clearNextBuild(deps, next.deploymentId);
    await admitBuild(deps);
  };
  let hasBuilder = true;
  return {
    clock,
    deps,
    async minute() {
      if (hasBuilder) await startNext();
      reportBuildQueues(await sweep(deps, buildQueue));
    },
    async breakIt() {
      hasBuilder = false;
      for (const account of [...accounts, ...accounts]) await deploy(account);
    },
    whileBroken: () => expect(memory.items('QUEUED_BUILD').length).toBe(5),
    steps: [
      {
        command: 'aws lambda invoke --region <region> --function-name hosting-<stage>-operator-adjustAccount',
        fill: { 'acc_…': 'acc_a' },
      },
      {
        words: 'Ask for more: Service Quotas → CodeBuild',
        act: () => {
          hasBuilder = true;
        },
      },
    ],
    whenOver() {
      // What is left waits for the limit that the operator has set.
      const left = memory.items('QUEUED_BUILD').map(({ accountId }) => accountId);
      expect(left.filter((accountId) => accountId !== 'acc_a')).toEqual([]);
    },
  };
}

/** Deployments fail for three days, rarely. */
async function rareFailures(): Promise<Scene> {
  const { whileBroken: _, ...scene } = await failingDeployments();
  let looks = 0;
  let isBroken = false;
  return {
    ...scene,
    breakIt() {
      isBroken = true;
    },
    async minute() {
      looks += 1;
      if (isBroken && looks % 10 === 0) {
        scene.breakIt();
        await scene.minute();
        await scene.steps.flatMap((step) => ('act' in step ? [step.act] : []))[0]?.();
      } else await scene.minute();
    },
    steps: [
      {
        words: 'Find the commonest cause with the section of the product',
        act: () => {
          isBroken = false;
        },
      },
    ],
  };
}

export const deploymentWalks: Walk[] = [
  {
    page: 'Builds',
    fault: 'a step of the platform’s own fails each deployment',
    alarms: ['deployments', 'deployment-faults'],
    open: failingDeployments,
  },
  {
    page: 'Builds',
    fault: 'no builder is free, and the lines behind the first build grow',
    alarms: ['builds-waiting'],
    open: waitingBuilds,
  },
  {
    page: 'Service levels',
    fault: 'one of ten deployments fails for the platform, for days',
    alarms: ['budget-of-work'],
    pace: 30,
    open: rareFailures,
  },
];
