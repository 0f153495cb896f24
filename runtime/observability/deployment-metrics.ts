import type { RecordedFailure } from '../../domain/deployments/failure.ts';
import type { DeploymentIds } from '../../domain/deployments/inputs.ts';
import { log, metrics } from './log.ts';

/**
 * Counts deployments that the platform failed; an alarm uses the metric (lib/stacks/operations-alarms.ts). Those that
 * their owners failed count nowhere.
 */
export function reportFailure({ accountId, deploymentId }: DeploymentIds, recorded: RecordedFailure): RecordedFailure {
  if (recorded.fault) {
    log.warn('deployment failed by the platform', {
      ...{ accountId, deploymentId },
      ...metrics({}, { DeploymentFaults: [1, 'Count'] }),
    });
  }
  return recorded;
}
