import { toText } from '../../providers/builds/build-log.ts';
import type { Deployment } from '../../table/entities/deployments.ts';
import { buildQueuePosition } from './build-queue.ts';

/**
 * Returns what a deployment waits for or is doing; for a finished one, the platform's last note in its log. For operators, who
 * answer questions about deployments but do not read the output of builds.
 */
export function progressOf(deployment: Deployment, queue: Parameters<typeof buildQueuePosition>[1]): string | null {
  const { finishedAt, notes, trigger, builtAt, buildId, beganAt, admittedAt } = deployment;
  if (finishedAt !== null) return toText(notes.at(-1) ?? '').trim() || null;
  const queued = buildQueuePosition(deployment, queue);
  if (queued) return `${queued.reason} (position ${queued.position} in the queue of its account)`;
  if (trigger === 'ROLLBACK') return 'Switching back to an earlier release';
  if (builtAt !== undefined) return `Releasing since ${builtAt}`;
  if (buildId !== undefined) return `Building since ${beganAt}: ${buildId}`;
  if (beganAt !== undefined) return `Waiting for a builder since ${beganAt}`;
  return `Starting since ${admittedAt ?? deployment.startedAt}`;
}
