import { toText } from '../../providers/builds/build-log.ts';
import type { Deployment } from '../../table/entities/deployments.ts';
import { placeOf } from './build-line.ts';

/**
 * Returns what a deployment waits for or what it does, and of one that ended what the platform last said in its log. For operators, who
 * are asked about it and do not read what a build prints.
 */
export function progressOf(deployment: Deployment, line: Parameters<typeof placeOf>[1]): string | null {
  const { finishedAt, notes, trigger, builtAt, buildId, beganAt, admittedAt } = deployment;
  if (finishedAt !== null) return toText(notes.at(-1) ?? '').trim() || null;
  const place = placeOf(deployment, line);
  if (place) return `${place.reason} (place ${place.position} of its account)`;
  if (trigger === 'ROLLBACK') return 'Switching back to an earlier release';
  if (builtAt !== undefined) return `Releasing since ${builtAt}`;
  if (buildId !== undefined) return `Building since ${beganAt}: ${buildId}`;
  if (beganAt !== undefined) return `Waiting for a builder since ${beganAt}`;
  return `Starting since ${admittedAt ?? deployment.startedAt}`;
}
