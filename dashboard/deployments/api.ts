import { getApp } from '../../contract/apps/apps.ts';
import {
  createDeployment,
  getDeployment,
  listDeployments,
  readDeploymentLog,
} from '../../contract/deployments/deployments.ts';
import { rollBack } from '../../contract/deployments/rollback.ts';
import type { Output } from '../../contract/route.ts';
import { useApi } from '../api/context.ts';
import { useApiList } from '../api/use-api-list.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { useApiQuery } from '../api/use-api-query.ts';
import { LOG_PAGE_SIZE, useLogLines } from '../api/use-log-lines.ts';

export type Deployment = Output<typeof listDeployments>['data'][number];

/** Poll intervals while a deployment is in progress, and otherwise. */
const ACTIVE_POLL_MS = 1200;
const IDLE_POLL_MS = 20_000;
const QUEUE_POLL_MS = 4000;

export const isInProgress = ({ status }: Pick<Deployment, 'status'>): boolean =>
  status === 'QUEUED' || status === 'RUNNING';

/** Lists an application's deployments, newest first, and polls faster while one is in progress. */
export const useDeployments = (appId: string, { allPages = false } = {}) =>
  useApiList(
    listDeployments,
    { params: { id: appId } },
    {
      allPages,
      pageSize: 50,
      pollInterval: (deployments) => (deployments.some(isInProgress) ? ACTIVE_POLL_MS : IDLE_POLL_MS),
    },
  );

/** Reads one deployment of an application. `older` is the query for a deployment that is not in the list. */
export function useDeployment(appId: string, deploymentId: string) {
  const deployments = useDeployments(appId);
  const listed = deployments.data?.data ?? [];
  // A deployment older than the listed ones is finished: it is read once.
  const older = useApiQuery(
    getDeployment,
    { params: { id: deploymentId } },
    { enabled: deployments.isSuccess && !listed.some((each) => each.id === deploymentId) },
  );
  return { deployments, older, deployment: listed.find((each) => each.id === deploymentId) ?? older.data?.data };
}

/** Polls the position of a queued deployment and the reason why it waits; undefined if it does not wait. */
export const useQueuePosition = (id: string) =>
  useApiQuery(getDeployment, { params: { id } }, { refetchInterval: QUEUE_POLL_MS }).data?.data.queue ?? undefined;

export const useDeploy = () => useApiMutation(createDeployment, [listDeployments, getApp]);
export const useRollback = () => useApiMutation(rollBack, [listDeployments, getApp]);

const BUILD_LOG_POLL = { min: 1000, max: 4000 };

/** Reads a build log and follows it while the deployment is in progress. */
export function useBuildLog(id: string, live: boolean, paused: boolean) {
  const api = useApi();
  return useLogLines<Output<typeof readDeploymentLog>['data'][number]>(
    [readDeploymentLog.id, id],
    { live, paused, poll: BUILD_LOG_POLL },
    (last) =>
      api.call(readDeploymentLog, { params: { id }, query: { after: String(last?.n ?? 0), limit: LOG_PAGE_SIZE } }),
  );
}
