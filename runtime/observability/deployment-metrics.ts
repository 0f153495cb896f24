import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import type { Build } from '../../domain/deployments/build.ts';
import type { RecordedFailure } from '../../domain/deployments/failure.ts';
import type { DeploymentIds } from '../../domain/deployments/inputs.ts';
import type { WaitingBuild } from '../../domain/deployments/scheduler.ts';
import type { SweepReport } from '../../domain/sweep/sweep.ts';
import { log, metrics } from './log.ts';

/**
 * Counts a deployment that failed because of the platform, for an alarm (lib/stacks/measured-alarms.ts). Failures that the owner
 * caused are not counted.
 */
export function reportFailure({ accountId, deploymentId }: DeploymentIds, recorded: RecordedFailure): RecordedFailure {
  if (recorded.fault) {
    log.warn('deployment failed by the platform', {
      accountId,
      deploymentId,
      ...metrics({}, { DeploymentFaults: [1, 'Count'], DeploymentSuccess: [0, 'Count'] }),
    });
  }
  return recorded;
}

/** Counts a deployment that succeeded, for the service level (contract/limits/service-levels.ts). */
export function reportSuccess({ accountId, applicationId, deploymentId }: DeploymentIds): void {
  log.info('deployment succeeded', {
    accountId,
    applicationId,
    deploymentId,
    ...metrics({}, { DeploymentSuccess: [1, 'Count'] }),
  });
}

/**
 * Reports a build that has waited too long for a builder. CodeBuild's own metric is in the region of the builds, where the platform
 * has no alarms.
 */
export function reportQueued({ accountId, deploymentId }: DeploymentIds, build: Build): Build {
  if (build.status === 'QUEUED' && build.waited !== undefined && build.waited > TIMEOUTS_S.build.alarm) {
    log.warn('build waits for a builder', {
      accountId,
      deploymentId,
      ...metrics({}, { BuildWait: [build.waited, 'Seconds'] }),
    });
  }
  return build;
}

/** Reports the build that has waited longest in the queue of any account, if it has waited too long. */
export function reportBuildQueues({ results }: SweepReport<WaitingBuild>): void {
  const [longest] = results.toSorted((a, b) => b.waitedMs - a.waitedMs);
  if (!longest || longest.waitedMs / 1000 <= TIMEOUTS_S.build.alarm) return;
  const { accountId, deploymentId, waitedMs } = longest;
  log.warn('builds wait in line', {
    accountId,
    deploymentId,
    lines: results.length,
    ...metrics({}, { BuildWait: [waitedMs / 1000, 'Seconds'] }),
  });
}
