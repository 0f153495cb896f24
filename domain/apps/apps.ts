import { isDeepStrictEqual } from 'node:util';
import type {
  deleteApp as DeleteRoute,
  editApp as EditRoute,
  getApp as GetRoute,
  listApps as ListRoute,
} from '../../contract/apps/apps.ts';
import { entryOf, FRAMEWORK_DEFAULTS } from '../../contract/enums.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Account } from '../../table/entities/accounts.ts';
import { App, appsOf, Host } from '../../table/entities/apps.ts';
import { HostClaim } from '../../table/entities/custom-domains.ts';
import type { AccountScopedId } from '../../table/entity.ts';
import { type Change, unchanged } from '../../table/expressions.ts';
import { schedule } from '../../table/schedule.ts';
import { change, changeOrInspect, remove, type Write } from '../../table/writes.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { pageBody } from '../pages.ts';
import { timestampAfter } from '../time.ts';
import { emit } from '../webhooks/events.ts';
import { claimedHosts } from './cells.ts';
import { assertRepositoryUrl } from './repositories.ts';
import { viewSuspensions } from './suspension.ts';

/** Time after which the reconciler repeats the teardown of a deleted application that still exists, in milliseconds. */
export const TEARDOWN_RETRY_AFTER_MS = 300_000;
/** Returns the attributes that make the reconciler repeat the teardown of a deleted application. */
const scheduleTeardown = ({ now }: Pick<Deps, 'now'>) =>
  schedule(App, timestampAfter(now(), TEARDOWN_RETRY_AFTER_MS), { queue: 'TEARDOWN' });

export const noSuchApp = () => new ApiError('not_found', 'Application not found.');

/** The path of health checks for applications that set none. */
export const DEFAULT_HEALTH_CHECK_PATH = '/';

const viewDetected = (found: NonNullable<App['detected']>) => {
  const { framework, packageManager, nodeVersion, buildCommand, start } = found;
  return { framework, packageManager, nodeVersion, buildCommand, start };
};

/** Returns an application as the API shows it. */
export function viewApp(app: App): Output<typeof GetRoute>['data'] {
  const { id, name, slug, framework, nodeVersion, repoUrl, branch, installCommand, buildCommand, startFile } = app;
  const { startCommand = null, rootDirectory = null, healthCheckPath = DEFAULT_HEALTH_CHECK_PATH, detected } = app;
  const { primaryDomain, hosts, customDomain, status, autoDeploy, createdAt, updatedAt } = app;
  const { liveDeploymentId = null, activeDeploymentId = null, lastDeploymentStatus = null } = app;
  const suspensions = viewSuspensions(app);
  return {
    id,
    name,
    slug,
    framework,
    nodeVersion,
    repoUrl,
    branch,
    installCommand,
    buildCommand,
    startFile,
    startCommand,
    rootDirectory,
    healthCheckPath,
    ...(detected ? { detected: viewDetected(detected) } : {}),
    primaryDomain,
    defaultDomain: hosts[0] ?? primaryDomain,
    customDomainStatus: customDomain?.status ?? null,
    status,
    liveDeploymentId,
    activeDeploymentId,
    lastDeploymentStatus,
    autoDeploy,
    createdAt,
    updatedAt,
    ...(suspensions ? { suspensions } : {}),
  };
}

/** Returns an application of the caller. Throws 404 if it does not exist or is being deleted. */
export async function findApp(deps: Deps, caller: Pick<Caller, 'accountId'>, id: string): Promise<App> {
  const app = await deps.table.get(App, { accountId: caller.accountId, id });
  if (!app || app.status === 'DELETING') throw noSuchApp();
  return app;
}

/** Returns a write of an application that exists. It throws `ConcurrentUpdateError` if the application changed, and 404 if it was deleted. */
export const changeExisting = ({ accountId, id }: AccountScopedId, changes: Change): Write =>
  changeOrInspect(App, { accountId, id }, changes, (found) =>
    found && found.status !== 'DELETING' ? concurrentUpdate() : noSuchApp(),
  );

/**
 * Returns the error for a host name that is in use: 409.
 * @param releasing true while the holder releases the domain; the removal of its tenant takes minutes
 */
export const domainTaken = (field: string, host: string, releasing = false) =>
  new ApiError(
    'conflict',
    `${field}: ${host} is ${releasing ? 'being released, which takes some minutes' : 'already in use'}`,
  );

/** GET /v1/apps */
export async function listApps(
  deps: Deps,
  { accountId }: Caller,
  page: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  return pageBody(await deps.table.list(App, appsOf(accountId), page), viewApp);
}

/** GET /v1/apps/{id} */
export async function getApp(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<Output<typeof GetRoute>> {
  return { data: viewApp(await findApp(deps, caller, id)) };
}

/** PATCH /v1/apps/{id} and PATCH /dashboard/v1/apps/{id}: changes the given settings. Settings for the build and the start apply from the next deployment. */
export async function updateApp(
  deps: Deps,
  { accountId }: Caller,
  { id, ...changes }: Input<typeof EditRoute>,
): Promise<Output<typeof EditRoute>> {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  if (changes.repoUrl !== undefined) assertRepositoryUrl(changes.repoUrl, deps.settings.allowLocalRepositories);
  // Settings that the owner chooses are no longer replaced by those detected in the repository.
  const chosen = [
    ...(changes.branch === undefined ? [] : ['branchByDefault']),
    ...(changes.nodeVersion === undefined ? [] : ['nodeVersionByDefault']),
  ];
  const updateOnce = async (): Promise<Output<typeof EditRoute>> => {
    const app = await findApp(deps, { accountId }, id);
    const when = { status: { isNot: 'DELETING' }, updatedAt: { is: app.updatedAt } } as const;
    const settings = { ...newDefaults(app, changes.framework), ...given };
    const before = viewApp(app);
    if (isDeepStrictEqual(viewApp({ ...app, ...settings }), before) && !chosen.some((name) => Object.hasOwn(app, name)))
      return { data: before };
    const set = { ...settings, updatedAt: deps.now().toISOString() };
    const update = { set, ...(chosen.length > 0 ? { remove: chosen } : {}), when };
    const after = viewApp({ ...app, ...set });
    return await deps.commit([changeExisting(app, update)], { data: after }, { before, after });
  };
  return await retryRequest(updateOnce);
}

/** Returns the default settings of a new framework, for those settings that still have the default of the old one. */
function newDefaults(
  { framework: old, startFile, buildCommand }: App,
  framework: App['framework'] = old,
): Partial<App> {
  const [before, after] = [entryOf(FRAMEWORK_DEFAULTS, old), entryOf(FRAMEWORK_DEFAULTS, framework)];
  if (!before || !after) return {};
  return {
    ...(startFile === before.startFile ? { startFile: after.startFile } : {}),
    ...(buildCommand === before.buildCommand ? { buildCommand: after.buildCommand } : {}),
  };
}

/** DELETE /v1/apps/{id}: frees the plan's slot immediately; the stream starts the teardown. */
export async function deleteApp(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof DeleteRoute>,
): Promise<Output<typeof DeleteRoute>> {
  return await retryRequest(() => deleteOnce(deps, caller, id));
}

async function deleteOnce(deps: Deps, caller: Caller, id: string): Promise<Output<typeof DeleteRoute>> {
  const { accountId } = caller;
  const app = await findApp(deps, caller, id);
  const { name, customDomain, activeDeploymentId } = app;
  const customHost = customDomain && (await deps.table.get(Host, { host: customDomain.host }));
  const now = deps.now();
  const set = { status: 'DELETING', updatedAt: now.toISOString(), ...scheduleTeardown(deps) };
  const when = {
    status: { isNot: 'DELETING' },
    activeDeploymentId: unchanged(activeDeploymentId),
    // Otherwise the claim of a domain that is added concurrently would remain.
    'customDomain.token': unchanged(customDomain?.token),
  } as const;
  const ownedHosts = [...claimedHosts(app), ...(customHost?.applicationId === id ? [customHost.host] : [])];
  const markReleasing = (host: string) => {
    const releasing = { set: { releasing: true }, when: { applicationId: { is: id } } };
    return change(
      Host,
      { host },
      releasing,
      () =>
        new ApiError('conflict', 'The custom domain of this application is being removed. Try again in a few seconds.'),
    );
  };
  return await deps.commit(
    [
      changeExisting(app, { set, remove: ['listPk', 'listSk'], when }),
      change(Account, { id: accountId }, { add: { appCount: -1 } }),
      emit(deps, accountId, 'app.deleted', { applicationId: id, name }),
      ...ownedHosts.map(markReleasing),
      ...(customDomain ? [remove(HostClaim, { host: customDomain.host, accountId })] : []),
    ],
    { data: { id, deleted: true } },
    { before: viewApp(app) },
  );
}
