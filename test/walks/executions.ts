import { expect } from 'vitest';
import { createDeployment } from '../../domain/deployments/create.ts';
import { deploymentQueue, startDeployment } from '../../domain/deployments/executions.ts';
import { admitBuild } from '../../domain/deployments/scheduler.ts';
import { sweep } from '../../domain/sweep/sweep.ts';
import type { ExecutionStatus, Executions } from '../../providers/workflows/executions.ts';
import { deploymentSimulation } from '../simulation/deployments.ts';
import { dimensionsOf } from '../support/alarm-states.ts';
import { measured, type Scene, type Walk } from '../support/walks.ts';
import { synthesize } from '../template/synthesized.ts';

/** A customer deploys whenever nothing is under way, and executions crash without recording a result while it is broken. */
async function crashingExecutions(): Promise<Scene> {
  const { deps, ids, caller, clock, app, deployments, succeed } = await deploymentSimulation();
  const { template } = synthesize({ stage: 'prod' });
  const of = dimensionsOf(template, 'hosting-prod-executions', 'ExecutionsFailed').find(({ StateMachineArn }) =>
    StateMachineArn?.endsWith('-deployment'),
  );
  const statuses = new Map<string, ExecutionStatus>();
  const executions: Executions = {
    start: async (name) => void (statuses.has(name) || statuses.set(name, 'RUNNING')),
    status: async (name) => statuses.get(name) ?? 'MISSING',
    stop: async () => undefined,
  };
  let isBroken = false;
  const deploy = async () => {
    const asked = { id: ids.applicationId } as Parameters<typeof createDeployment>[2];
    const { id } = (await createDeployment(deps, caller, asked)).data;
    await admitBuild(deps, ids.accountId);
    for (const each of deployments().filter((one) => one.id === id))
      await startDeployment({ deployments: executions }, each);
    if (isBroken) statuses.set(id, 'ENDED');
    else await succeed(id);
    return isBroken ? 1 : 0;
  };
  return {
    clock,
    deps,
    async minute() {
      const failed = (await app())?.activeDeploymentId ? 0 : await deploy();
      await sweep({ ...deps, deployments: executions }, deploymentQueue);
      return [measured(clock, ['AWS/States', 'ExecutionsFailed'], failed, of)];
    },
    breakIt: () => {
      isBroken = true;
    },
    steps: [
      {
        words: 'the reconciler marks the deployment FAILED within minutes; the previous release keeps serving',
        act: () => {
          isBroken = false;
        },
      },
    ],
    async whenOver() {
      const all = deployments();
      expect(all.filter(({ status }) => status === 'FAILED').length).toBeGreaterThan(0);
      expect(all.filter(({ finishedAt }) => finishedAt === null)).toEqual([]);
      expect(all.at(-1)?.status).toBe('SUCCEEDED');
    },
  };
}

export const executionWalks: Walk[] = [
  {
    page: 'State machine failures',
    fault: 'executions of deployments crash',
    alarms: ['executions'],
    open: crashingExecutions,
  },
];
