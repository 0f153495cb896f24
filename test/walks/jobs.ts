import { expect } from 'vitest';
import { performJob } from '../../domain/processes/jobs.ts';
import { ROUTE_JOBS } from '../../domain/processes/route-jobs.ts';
import { App } from '../../table/entities/apps.ts';
import { deploymentSimulation } from '../simulation/deployments.ts';
import { measured, type Scene, type Walk } from '../support/walks.ts';

/** Changes of routes, while the store of routes refuses them all. */
async function waitingJobs(): Promise<Scene> {
  const { clock, deps, ids } = await deploymentSimulation();
  const key = App.key({ accountId: ids.accountId, id: ids.applicationId });
  const routed: string[] = [];
  let isAway = false;
  const pointIfUnset = async (hosts: readonly string[]) => {
    if (isAway) throw new Error('ThrottlingException');
    routed.push(...hosts);
  };
  const refuse = async () => expect.fail('no other change of routes');
  const hostRoutes = { point: refuse, pointIfUnset, suspend: refuse, resume: refuse, remove: refuse };
  const access = { close: refuse, open: refuse };
  const deployments = { start: refuse, status: refuse, stop: refuse };
  const needs = { ...deps, deployments, cellOf: async () => ({ hostRoutes, appAccess: access }) };
  const waiting: { job: string; key: { pk: string; sk: string }; sentAt: number }[] = [];
  return {
    clock,
    deps,
    async minute() {
      waiting.push({ job: 'app.route-placeholder', key, sentAt: clock.now });
      for (const job of [...waiting]) {
        const done = await performJob(ROUTE_JOBS, needs, job, async () => undefined).catch(() => undefined);
        if (done) waiting.splice(waiting.indexOf(job), 1);
      }
      const seconds = (clock.now - (waiting[0]?.sentAt ?? clock.now)) / 1000;
      const QueueName = 'hosting-prod-routes';
      return [measured(clock, ['AWS/SQS', 'ApproximateAgeOfOldestMessage'], seconds, { QueueName })];
    },
    breakIt: () => {
      isAway = true;
    },
    whileBroken: () => expect(waiting.length).toBeGreaterThan(5),
    steps: [
      {
        words: 'If the service is unavailable, wait: jobs are repeated',
        act: () => {
          isAway = false;
        },
      },
    ],
    whenOver() {
      expect(waiting).toEqual([]);
      expect(new Set(routed)).toEqual(new Set(['app']));
    },
  };
}

export const jobWalks: Walk[] = [
  { page: 'Jobs behind', fault: 'the store of routes refuses changes', alarms: ['jobs-behind'], open: waitingJobs },
];
