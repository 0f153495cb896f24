import { createApp, deleteApp, getApp, listApps, updateApp } from '../../contract/apps/apps.ts';
import { listEnvKeys, replaceEnv } from '../../contract/apps/environment.ts';
import { getDeployKey, getGitHook, rotateDeployKey, rotateGitHook } from '../../contract/apps/git-access.ts';
import {
  checkCustomDomain,
  getCustomDomain,
  removeCustomDomain,
  setCustomDomain,
} from '../../contract/custom-domains/custom-domains.ts';
import { createDatabase, listDatabases } from '../../contract/databases/databases.ts';
import { createDeployment, getDeployment, listDeployments } from '../../contract/deployments/deployments.ts';
import { rollBack } from '../../contract/deployments/rollback.ts';
import type { Output } from '../../contract/route.ts';
import { useAct } from '../api/act.ts';
import { recovery } from '../api/queries.ts';
import { useList } from '../api/use-api-list.ts';
import { useRead } from '../api/use-api-query.ts';

export type Application = Output<typeof getApp>['data'];
export type CustomDomain = Output<typeof getCustomDomain>['data'];
export type Database = Output<typeof listDatabases>['data'][number];
export type Deployment = Output<typeof listDeployments>['data'][number];

/** How often something under way is looked at, and something at rest, in milliseconds. */
const UNDER_WAY = 1200;
const AT_REST = 20_000;

export const isUnderWay = ({ status }: Pick<Deployment, 'status'>): boolean =>
  status === 'QUEUED' || status === 'RUNNING';

export const useApps = () => useList(listApps);
export const useApp = (id: string) => useRead(getApp, { params: { id } });
export const useCreateApp = () => useAct(createApp, [listApps]);
export const useUpdateApp = () => useAct(updateApp, [getApp, listApps]);
export const useDeleteApp = () => useAct(deleteApp, [listApps]);

/** An application's deployments, followed while one is under way. */
export const useDeployments = (id: string) =>
  useList(
    listDeployments,
    { params: { id } },
    { size: 50, every: (deployments) => (deployments.some(isUnderWay) ? UNDER_WAY : AT_REST) },
  );

/** One of an application's deployments, and whether it is the one that serves. */
export function useDeployment(id: string, deploymentId: string) {
  const deployments = useDeployments(id);
  const listed = deployments.data?.data ?? [];
  // An older one than those listed has ended long ago.
  const older = useRead(
    getDeployment,
    { params: { id: deploymentId } },
    { enabled: deployments.isSuccess && !listed.some((each) => each.id === deploymentId) },
  );
  return {
    deployments,
    deployment: listed.find((each) => each.id === deploymentId) ?? older.data?.data,
    serves: listed.find(({ status }) => status === 'SUCCEEDED')?.id === deploymentId,
  };
}

export const useDeploy = () => useAct(createDeployment, [listDeployments]);
/** Read once: a form that is being filled in is not changed under the hands. */
export const useEnv = (id: string) => useRead(listEnvKeys, { params: { id } }, { staleTime: Number.POSITIVE_INFINITY });
export const useReplaceEnv = () => useAct(replaceEnv, [listEnvKeys]);

export const useRollback = () => useAct(rollBack, [listDeployments]);

export const useGitHook = (id: string) => useRead(getGitHook, { params: { id } });
export const useDeployKey = (id: string) => useRead(getDeployKey, { params: { id } });
/** Whoever rotates waits until the new one is read: the old one must not be copied in its place. */
export const useRotateGitHook = () => useAct(rotateGitHook);
export const useRotateDeployKey = () => useAct(rotateDeployKey);

/** Whether somebody still has to do something for a domain, we or its owner. */
const isOpening = ({ status, certificate }: CustomDomain): boolean =>
  status === 'PENDING' || certificate?.status === 'WAITING' || certificate?.status === 'PENDING';

/** An application's own domain, followed until its visitors are let in; 404 where there is none. */
export const useCustomDomain = (id: string) =>
  useRead(
    getCustomDomain,
    { params: { id } },
    {
      refetchInterval: (query) =>
        recovery(query) || (query.state.data && isOpening(query.state.data.data) ? 10_000 : false),
    },
  );
export const useCheckCustomDomain = () => useAct(checkCustomDomain, [getCustomDomain]);
export const useSetCustomDomain = () => useAct(setCustomDomain, [getCustomDomain, getApp]);
export const useRemoveCustomDomain = () => useAct(removeCustomDomain, [getCustomDomain, getApp]);

/** All databases of the account, of which an application's are some; followed while one is being made. */
export const useDatabases = () =>
  useList(
    listDatabases,
    {},
    { whole: true, every: (databases) => (databases.some(({ status }) => status === 'PROVISIONING') ? 3000 : false) },
  );
export const useCreateDatabase = () => useAct(createDatabase, [listDatabases]);

/** Where an application is seen: its domain carries no port, and the local run has one. */
export const addressOf = ({ primaryDomain }: Application): string =>
  `${location.protocol}//${primaryDomain}${location.port ? `:${location.port}` : ''}`;
