import { randomBytes } from 'node:crypto';
import type {
  createApp as CreateRoute,
  deleteApp as DeleteRoute,
  getApp as GetRoute,
  listApps as ListRoute,
  updateApp as UpdateRoute,
} from '../contract/apps/apps.ts';
import { FRAMEWORK_DEFAULTS } from '../contract/enums.ts';
import { ApiError } from '../contract/errors.ts';
import type { Input, Output } from '../contract/route.ts';
import type { Secrets } from '../providers/encryption/secrets.ts';
import { Account, App, Host } from '../table/entities.ts';
import { GitAccess } from '../table/git-entities.ts';
import { joinKey } from '../table/keys.ts';
import { change, claim, create, type Write } from '../table/writes.ts';
import { newGitAccess } from './apps/git-access.ts';
import { assertRepositoryUrl } from './apps/repositories.ts';
import { newDeployment, triggerOf } from './deployments/queue.ts';
import type { Caller, Deps } from './deps.ts';
import { newCustomDomain } from './domain-claims.ts';
import { emit } from './webhooks/events.ts';

/** A DNS label holds 63 characters; this leaves room for a suffix. */
const SLUG_LENGTH = 50;
/** How often a taken slug is tried again with a suffix: 40 random bits each time. */
const SLUG_ATTEMPTS = 3;

/** A deleted application still there after this is torn down again by the reconciler, in milliseconds. */
export const TEARDOWN_AFTER = 300_000;

export const noSuchApp = () => new ApiError('not_found', 'There is no such application.');

/** The application as the API shows it. */
function view(app: App): Output<typeof GetRoute>['data'] {
  const { id, name, slug, framework, nodeVersion, repoUrl, branch, installCommand, buildCommand, startFile } = app;
  const { primaryDomain, status, autoDeploy, createdAt, updatedAt } = app;
  return {
    ...{ id, name, slug, framework, nodeVersion, repoUrl, branch, installCommand, buildCommand, startFile },
    ...{ primaryDomain, status, autoDeploy, createdAt, updatedAt },
  };
}

/** An application of the caller's that is not being deleted. Throws 404. */
export async function findApp(deps: Deps, caller: Caller, id: string): Promise<App> {
  const app = await deps.table.get(App, { accountId: caller.accountId, id });
  if (!app || app.status === 'DELETING') throw noSuchApp();
  return app;
}

/** The name in lower case, every run of other characters a `-`. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_LENGTH)
    .replace(/^-+|-+$/g, '') || 'app';

/** A host name that another application has: this one gets another, or none. */
class NameTaken extends Error {
  readonly host: string;
  /** The other one was deleted: whoever deletes and creates anew expects the same address. */
  readonly leaving: boolean;
  constructor(host: string, leaving = false) {
    super(`${host} is taken`);
    this.host = host;
    this.leaving = leaving;
  }
}

/** How often a name that is being freed is asked for again, and how many milliseconds apart: taking down takes about a second. */
const WAITS = 20;
const WAIT = 100;

/** Throws 400 for a domain of ours. @param field as the caller knows it */
export function assertOwnDomain(deps: Deps, domain: string | undefined, field = 'customDomain'): void {
  const { appsDomain } = deps.settings;
  if (domain === appsDomain || domain?.endsWith(`.${appsDomain}`)) {
    throw new ApiError('invalid_request', `${field}: must be a domain of your own, not one under ${appsDomain}`);
  }
}

/** @param leaving whether whoever has it is letting go of it: its door takes minutes to close */
export const domainTaken = (field: string, host: string, leaving = false) =>
  new ApiError(
    'conflict',
    `${field}: ${host} is ${leaving ? 'being let go of, which takes some minutes' : 'already in use'}`,
  );

/** POST /v1/apps: claims the address, counts towards the plan and queues the first deployment, all in one transaction. */
export async function createApp(
  deps: Deps & { secrets: Secrets },
  caller: Caller,
  input: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> {
  assertOwnDomain(deps, input.customDomain);
  if (input.repoUrl) assertRepositoryUrl(input.repoUrl, deps.settings.allowLocalRepositories);
  const applicationId = deps.newId('app');
  const access = await newGitAccess(deps, { accountId: caller.accountId, applicationId });
  const slug = slugOf(input.name);
  for (let waits = 0, suffixes = 0, suffix = ''; ; ) {
    try {
      return await createAppAt(deps, caller, access, input, slug + suffix);
    } catch (error) {
      if (!(error instanceof NameTaken)) throw error;
      if (error.leaving && waits < WAITS) {
        waits += 1;
        await new Promise((done) => setTimeout(done, WAIT));
      } else if (error.host === input.customDomain) {
        throw domainTaken('customDomain', error.host, error.leaving);
      } else {
        suffixes += 1;
        if (suffixes > SLUG_ATTEMPTS) throw error;
        suffix = `-${randomBytes(5).toString('hex')}`;
      }
    }
  }
}

async function createAppAt(
  deps: Deps,
  caller: Caller,
  access: GitAccess,
  { customDomain, deployNow, ...input }: Input<typeof CreateRoute>,
  slug: string,
): Promise<Output<typeof CreateRoute>> {
  const { accountId, applicationId: id } = access;
  const now = deps.now().toISOString();
  const host = `${slug}.${deps.settings.appsDomain}`;
  const defaults = FRAMEWORK_DEFAULTS[input.framework];
  const deployment =
    deployNow && input.repoUrl ? newDeployment(deps, { accountId, applicationId: id }, triggerOf(caller)) : undefined;
  const app: App = {
    ...input,
    id,
    accountId,
    slug,
    repoUrl: input.repoUrl ?? null,
    buildCommand: input.buildCommand === undefined ? defaults.buildCommand : input.buildCommand,
    startFile: input.startFile ?? defaults.startFile,
    primaryDomain: customDomain ?? host,
    hosts: [host],
    ...(customDomain ? { customDomain: newCustomDomain(deps, customDomain) } : {}),
    status: 'RUNNING',
    autoDeploy: false,
    createdAt: now,
    updatedAt: now,
    ...(deployment ? { activeDeploymentId: deployment.id } : {}),
  };
  const named = (name: string) =>
    claim(Host, { host: name, accountId, applicationId: id }, (holder) => new NameTaken(name, holder?.leaving));
  const writes: Write[] = [
    change(
      Account,
      { id: accountId },
      { add: { appCount: 1 }, when: { appCount: { below: { attribute: 'plan.appLimit' } } } },
      () => new ApiError('plan_limit', "Your plan's number of applications is reached."),
    ),
    named(host),
    create(App, app),
    create(GitAccess, access),
    emit(deps, accountId, 'app.created', { applicationId: id, name: input.name }),
  ];
  if (customDomain) writes.push(named(customDomain));
  if (deployment) writes.push(deployment.write);
  return await deps.commit(writes, { data: view(app) });
}

/** GET /v1/apps */
export async function listApps(
  deps: Deps,
  { accountId }: Caller,
  page: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const { items, hasMore } = await deps.table.list(App, joinKey('ACCOUNT', accountId, 'APPS'), page);
  return { data: items.map(view), has_more: hasMore };
}

/** GET /v1/apps/{id} */
export async function getApp(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<Output<typeof GetRoute>> {
  return { data: view(await findApp(deps, caller, id)) };
}

/** PATCH /v1/apps/{id}: what is given changes; the next deployment uses it. */
export async function updateApp(
  deps: Deps,
  { accountId }: Caller,
  { id, ...changes }: Input<typeof UpdateRoute>,
): Promise<Output<typeof UpdateRoute>> {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const set = { ...given, updatedAt: deps.now().toISOString() };
  const write = change(App, { accountId, id }, { set, when: { status: { isNot: 'DELETING' } } }, noSuchApp);
  const app = await deps.table.write(App, write);
  if (!app) throw noSuchApp();
  return { data: view(app) };
}

/** DELETE /v1/apps/{id}: the plan's slot is free at once; the stream has the site taken down. */
export async function deleteApp(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof DeleteRoute>,
): Promise<Output<typeof DeleteRoute>> {
  const { accountId } = caller;
  const { name, hosts, customDomain } = await findApp(deps, caller, id);
  const now = deps.now();
  const due = { duePk: 'TEARDOWN', dueAt: new Date(now.getTime() + TEARDOWN_AFTER).toISOString() };
  const set = { status: 'DELETING', updatedAt: now.toISOString(), ...due };
  const when = { status: { isNot: 'DELETING' } };
  const names = [...hosts, ...(customDomain ? [customDomain.host] : [])];
  const leave = (host: string) => {
    const mine = { set: { leaving: true }, when: { applicationId: { is: id } } };
    return change(Host, { host }, mine, () => new ApiError('conflict', 'The application is just losing its domain.'));
  };
  return await deps.commit(
    [
      change(App, { accountId, id }, { set, remove: ['listPk', 'listSk'], when }, noSuchApp),
      change(Account, { id: accountId }, { add: { appCount: -1 } }),
      emit(deps, accountId, 'app.deleted', { applicationId: id, name }),
      ...names.map(leave),
    ],
    { data: { id, deleted: true } },
  );
}
