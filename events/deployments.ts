import { admitAfter, admitBuild } from '../domain/deployments/scheduler.ts';
import type { Deps } from '../domain/deps.ts';
import { Deployment, NextBuild, QueuedBuild } from '../table/entities/deployments.ts';
import { type HandOverDeps, handOverTo } from './hand-over.ts';
import { on, type Rules } from './on.ts';

/** Rules about deployments. A deployment with a build starts when the scheduler has admitted it, a rollback immediately. */
export const deploymentRules = (deps: Deps & HandOverDeps): Rules => {
  const queueJob = handOverTo(deps, 'workflows', Deployment);
  return {
    'deployment.start-rollback': on(Deployment).created(
      { status: 'QUEUED', trigger: 'ROLLBACK' },
      queueJob('deployment.start'),
    ),
    'deployment.start': on(Deployment).sets('admittedAt', queueJob('deployment.start')),
    'deployment.cancel': on(Deployment).sets('cancelled', queueJob('deployment.cancel')),
    'build.admit-queued': on(QueuedBuild).created(({ accountId }) => admitBuild(deps, accountId)),
    'build.admit-next': on(NextBuild).removed(() => admitBuild(deps)),
    'build.admit-after': on(Deployment).changes('finishedAt', (deployment) => admitAfter(deps, deployment)),
    // For every failure: the execution may have been stopped before it could discard the build itself.
    'deployment.discard-build': on(Deployment).becomes({ status: 'FAILED' }, queueJob('deployment.discard-build')),
  };
};
