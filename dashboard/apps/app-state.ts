import type { Application } from './api.ts';

export type AppState = 'DELETING' | 'SUSPENDED' | 'BUILDING' | 'LIVE' | 'FAILED' | 'NOT_DEPLOYED';

type DeploymentState = Pick<Application, 'status' | 'liveDeploymentId' | 'activeDeploymentId' | 'lastDeploymentStatus'>;

/** Returns the state of an application. The API's `RUNNING` only says that it is neither suspended nor being deleted. */
export function appState({
  status,
  liveDeploymentId,
  activeDeploymentId,
  lastDeploymentStatus,
}: DeploymentState): AppState {
  if (status !== 'RUNNING') return status;
  if (activeDeploymentId !== null) return 'BUILDING';
  if (liveDeploymentId !== null) return 'LIVE';
  return lastDeploymentStatus === 'FAILED' ? 'FAILED' : 'NOT_DEPLOYED';
}
