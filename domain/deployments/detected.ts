import type { Detected } from '../../providers/builds/builds.ts';
import { App } from '../../table/entities/apps.ts';
import { tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DeploymentIds } from './inputs.ts';

/**
 * Stores what a build detected in the repository in the application's settings. The repository's default branch replaces a branch
 * that the owner did not choose, so that pushes to it deploy. A branch that the owner chose meanwhile stays.
 */
export async function recordDetected(
  deps: Pick<Deps, 'table'>,
  { accountId, applicationId }: DeploymentIds,
  found: Detected | undefined,
): Promise<void> {
  if (!found) return;
  const { branch, start = null, ...rest } = found;
  const key = { accountId, id: applicationId };
  const exists = { id: 'present', status: { isNot: 'DELETING' } } as const;
  const detected = { set: { detected: { ...rest, start } }, when: exists };
  await tryChange(deps, App, key, detected);
  if (branch === undefined) return;
  const defaultBranch = { set: { branch }, when: { ...exists, branchByDefault: { is: true } } } as const;
  await tryChange(deps, App, key, defaultBranch);
}
