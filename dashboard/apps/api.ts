import { useQueryClient } from '@tanstack/react-query';
import { createApp, deleteApp, editApp, getApp, listApps } from '../../contract/apps/apps.ts';
import { listEnvKeys, updateEnv } from '../../contract/apps/environment.ts';
import { getDeployKey, getGitHook, rotateDeployKey, rotateGitHook } from '../../contract/apps/git-access.ts';
import { readAppLogs } from '../../contract/apps/logs.ts';
import { getAppMetrics, getAppRequests, getAppStarts, type MetricRange } from '../../contract/apps/metrics.ts';
import { parseRepositoryAddress } from '../../contract/apps/repositories.ts';
import { inspectRepository } from '../../contract/apps/repository-inspection.ts';
import type { CallerInput, Output } from '../../contract/route.ts';
import { useApi } from '../api/context.ts';
import { recoveryInterval } from '../api/query-client.ts';
import { useApiList } from '../api/use-api-list.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { queryKey, useApiQuery } from '../api/use-api-query.ts';
import { LOG_PAGE_SIZE, useLogLines } from '../api/use-log-lines.ts';
import type { LogWindow } from './log-window.ts';

export type Application = Output<typeof getApp>['data'];

/** Poll interval while a deployment is in progress. */
const DEPLOYING_POLL_MS = 2000;
const pollInterval = (apps: readonly Pick<Application, 'activeDeploymentId'>[]): number =>
  apps.some((app) => app.activeDeploymentId) ? DEPLOYING_POLL_MS : 0;

/**
 * Reads the applications, and polls while one is being deployed.
 * @param options `allPages` to load the whole list, so that it can be searched
 */
export const useApps = (options: { allPages?: boolean } = {}) => useApiList(listApps, {}, { ...options, pollInterval });

/** Reads an application, and polls while it is being deployed. */
export const useApp = (id: string) =>
  useApiQuery(
    getApp,
    { params: { id } },
    { refetchInterval: ({ state: { data } }) => pollInterval(data ? [data.data] : []) },
  );

/** Inspects a repository over HTTPS, before an application exists. Findings stay visible while another branch is inspected. */
export const useRepository = ({ url, branch, rootDirectory }: Record<'url' | 'branch' | 'rootDirectory', string>) =>
  useApiQuery(
    inspectRepository,
    { query: { url, ...(branch && { branch }), ...(rootDirectory && { rootDirectory }) } },
    {
      enabled: parseRepositoryAddress(url)?.scheme === 'https',
      staleTime: 60_000,
      placeholderData: (before, query) => (isSameRepository(query?.queryKey[1], url) ? before : undefined),
    },
  );

const isSameRepository = (input: unknown, url: string): boolean => Object(Object(input).query).url === url;

export const useCreateApp = () => useApiMutation(createApp, [listApps]);
export const useUpdateApp = () => useApiMutation(editApp, [getApp, listApps]);
export const useDeleteApp = () => useApiMutation(deleteApp, [listApps]);

export const useEnv = (id: string) => useApiQuery(listEnvKeys, { params: { id } });
/** Returns a function that saves variables. Their names are shown immediately: until they are read again, the form would have none. */
export function useUpdateEnv() {
  const client = useQueryClient();
  const { mutateAsync } = useApiMutation(updateEnv, [listEnvKeys]);
  return async (id: string, body: NonNullable<CallerInput<typeof updateEnv>['body']>) => {
    const params = { id };
    const stored = await mutateAsync({ params, body });
    client.setQueryData<Output<typeof listEnvKeys>>(queryKey(listEnvKeys, { params }), stored);
  };
}

export const useGitHook = (id: string, { enabled }: { enabled: boolean }) =>
  useApiQuery(getGitHook, { params: { id } }, { enabled });
export const useDeployKey = (id: string) => useApiQuery(getDeployKey, { params: { id } });
/** The caller refetches and waits for the new value, so that the old one cannot be copied in its place. */
export const useRotateGitHook = () => useApiMutation(rotateGitHook);
export const useRotateDeployKey = () => useApiMutation(rotateDeployKey);

export type AppMetrics = Output<typeof getAppMetrics>['data'];
export type AppStarts = Output<typeof getAppStarts>['data'];
export type AppRequests = Output<typeof getAppRequests>['data'];

/** Metrics arrive within about a minute. */
const METRICS_POLL_MS = 60_000;
/** Reads metrics and polls them every minute. Those of the previous range stay visible until the new ones arrive. */
export const useAppMetrics = (id: string, range: MetricRange) =>
  useApiQuery(
    getAppMetrics,
    { params: { id }, query: { range } },
    { refetchInterval: (query) => recoveryInterval(query) || METRICS_POLL_MS, placeholderData: (before) => before },
  );
/** Reads cold starts. They are not polled, because each read is a query of the log. */
export const useAppStarts = (id: string, range: MetricRange) =>
  useApiQuery(getAppStarts, { params: { id }, query: { range } }, { staleTime: METRICS_POLL_MS });

/** Reads the requests of a range. Those of the previous range stay visible until they arrive. */
export const useAppRequests = (id: string, range: MetricRange) =>
  useApiQuery(
    getAppRequests,
    { params: { id }, query: { range } },
    { staleTime: METRICS_POLL_MS, placeholderData: (before) => before },
  );

/** The platform reads a viewed log at most every 1.5 seconds (domain/apps/log-store.ts). */
const RUNTIME_LOG_POLL = { min: 2000, max: 15_000 };

/** Follows the output of a running application, or reads the output of a time range. */
export function useRuntimeLog(id: string, paused: boolean, span: LogWindow | undefined) {
  const api = useApi();
  const options = { live: span === undefined, paused, poll: RUNTIME_LOG_POLL };
  const name = [readAppLogs.id, id, span?.from, span?.to];
  return useLogLines<Output<typeof readAppLogs>['data'][number]>(name, options, (last) =>
    api.call(readAppLogs, {
      params: { id },
      query: { ...span, ...(last ? { after: last.id } : {}), limit: LOG_PAGE_SIZE },
    }),
  );
}

type Addresses = Pick<Application, 'primaryDomain' | 'defaultDomain' | 'customDomainStatus'>;

/** Returns the domain that visitors can use now: an unverified custom domain does not serve yet. */
export const servingDomain = ({ primaryDomain, defaultDomain, customDomainStatus }: Addresses): string =>
  customDomainStatus === 'PENDING' ? defaultDomain : primaryDomain;

/** Returns the URL of a domain that the platform serves. Domains have no port; the local run adds its own. */
export const toUrl = (domain: string): string =>
  `${location.protocol}//${domain}${location.port ? `:${location.port}` : ''}`;

/** Returns the public URL of an application. */
export const appUrl = (app: Addresses): string => toUrl(servingDomain(app));

/** True if an application has a repository to deploy, and is neither suspended nor being deleted. */
export const isDeployable = ({ repoUrl, status }: Application): boolean => repoUrl !== null && status === 'RUNNING';
