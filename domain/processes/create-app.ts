import { randomBytes } from 'node:crypto';
import type { createApp as CreateRoute } from '../../contract/apps/apps.ts';
import { RESERVED_SLUGS } from '../../contract/apps/reserved-slugs.ts';
import { toSlug, withSuffix } from '../../contract/apps/slug.ts';
import { DEFAULT_BRANCH, DEFAULT_NODE_VERSION, FRAMEWORK_DEFAULTS } from '../../contract/enums.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { App, GitAccess, Host } from '../../table/entities/apps.ts';
import type { Cell } from '../../table/entities/cells.ts';
import { DistributionTenant } from '../../table/entities/custom-domains.ts';
import { claim, create, type Write } from '../../table/writes.ts';
import { domainTaken, viewApp } from '../apps/apps.ts';
import { assertNotPlatformDomain, claimedHosts, type Placement, placeApp } from '../apps/cells.ts';
import { newGitAccess } from '../apps/git-access.ts';
import { assertRepositoryUrl } from '../apps/repositories.ts';
import { claimWrites, firstCheckAt, isContestable, newCustomDomain, type TakenError } from '../custom-domains/claim.ts';
import { enqueueBuild } from '../deployments/build-queue.ts';
import { callerTrigger, newDeployment } from '../deployments/deployment.ts';
import type { Caller, Deps } from '../deps.ts';
import { countToday, countTowards, findAccount } from '../limits/limits.ts';
import { expectJob } from '../sweep/pending-jobs.ts';
import { emit } from '../webhooks/events.ts';

/** Number of random suffixes that are tried for a taken slug. */
const MAX_SLUG_ATTEMPTS = 3;

/** Returns a suffix of 40 random bits for a slug that is taken or reserved. */
const randomSuffix = () => `-${randomBytes(5).toString('hex')}`;

/** A host name belongs to another application. */
class NameTaken extends Error {
  readonly host: string;
  /**
   * True if the other application is being deleted. Then it is worth waiting: an owner who deletes and recreates an application expects the
   * same address.
   */
  readonly releasing: boolean;
  constructor(host: string, releasing = false) {
    super(`${host} is taken`);
    this.host = host;
    this.releasing = releasing;
  }
}

/**
 * The longest wait for a name that is being released, in milliseconds. The teardown releases names within a second, or within several on
 * a busy machine. A default address that is still taken gets a suffix for good, but a custom domain is refused, so it is worth a longer
 * wait, unless it has a tenant, whose removal takes minutes. The function's timeout is longer.
 */
const MAX_RELEASE_WAIT_MS = { address: 5000, customDomain: 10_000, customDomainWithTenant: 2000 };
/** The time between two checks, in milliseconds. */
const RELEASE_CHECK_MS = 100;

/** POST /v1/apps: claims the address, counts towards the plan and queues the first deployment, all in one transaction. */
export async function createApp(
  deps: Deps & { secrets: Secrets; cells: () => Promise<Cell[]> },
  caller: Caller,
  input: Input<typeof CreateRoute>,
): Promise<Output<typeof CreateRoute>> {
  if (input.repoUrl) assertRepositoryUrl(input.repoUrl, deps.settings.allowLocalRepositories);
  const applicationId = deps.newId('app');
  const [access, cells, ...counted] = await Promise.all([
    newGitAccess(deps, { accountId: caller.accountId, applicationId }),
    deps.cells(),
    ...(input.customDomain ? [countCustomDomain(deps, caller.accountId)] : []),
  ]);
  if (input.customDomain) assertNotPlatformDomain(deps, cells, input.customDomain);
  const placement = placeApp(deps, cells);
  const slug = toSlug(input.name);
  let attempt: Attempt = {
    suffix: RESERVED_SLUGS.has(slug) ? randomSuffix() : '',
    contested: false,
    awaited: [],
    suffixes: 0,
  };
  for (;;) {
    const { suffix, contested } = attempt;
    try {
      return await createAppAt(deps, caller, access, input, {
        slug: withSuffix(slug, suffix),
        contested,
        counted,
        placement,
      });
    } catch (error) {
      if (!(error instanceof NameTaken)) throw error;
      attempt = await nextAttempt(deps, caller, input, attempt, error);
    }
  }
}

/** An attempt to claim the names of an application, with the number of earlier ones. */
interface Attempt {
  /** The end of the slug, after the application's name. */
  suffix: string;
  /** True if the custom domain is held by an application that can no longer prove it. */
  contested: boolean;
  /** The names for whose release it has waited. */
  awaited: readonly string[];
  suffixes: number;
}

/** Returns the next attempt after a name was taken. Throws if none can succeed. */
async function nextAttempt(
  deps: Deps,
  { accountId }: Caller,
  { customDomain }: Input<typeof CreateRoute>,
  last: Attempt,
  taken: NameTaken,
): Promise<Attempt> {
  if (taken.releasing && !last.awaited.includes(taken.host)) {
    await waitForRelease(deps, taken.host, taken.host === customDomain);
    return { ...last, awaited: [...last.awaited, taken.host] };
  }
  if (taken.host === customDomain) {
    // The holder's proof may be missing by now. This is checked once: a second failure is a conflict.
    const isHeld = last.contested || !(await isContestable(deps, taken.host, accountId));
    if (isHeld) throw domainTaken('customDomain', taken.host, taken.releasing);
    return { ...last, contested: true };
  }
  if (last.suffixes === MAX_SLUG_ATTEMPTS) throw taken;
  return { ...last, suffix: randomSuffix(), suffixes: last.suffixes + 1 };
}

/** Waits until a name is released. It reads the name only: repeated transactions would conflict with the account's other requests. */
async function waitForRelease({ table }: Pick<Deps, 'table'>, host: string, isCustomDomain: boolean): Promise<void> {
  const began = performance.now();
  const hasTenant = isCustomDomain && (await table.get(DistributionTenant, { host })) !== undefined;
  const name = hasTenant ? 'customDomainWithTenant' : isCustomDomain ? 'customDomain' : 'address';
  const until = began + MAX_RELEASE_WAIT_MS[name];
  do await new Promise((done) => setTimeout(done, RELEASE_CHECK_MS));
  while ((await table.get(Host, { host }))?.releasing && performance.now() < until);
}

/** Returns the write that counts a custom domain towards the account's daily limit. */
const countCustomDomain = async (deps: Deps, accountId: string): Promise<Write> =>
  countToday(deps, await findAccount(deps, accountId), 'customDomainsPerDay');

/** The address of a new application that an attempt claims, and its cell. */
interface Address {
  slug: string;
  contested: boolean;
  counted: readonly Write[];
  placement: Placement;
}

async function createAppAt(
  deps: Deps,
  caller: Caller,
  access: GitAccess,
  { customDomain, deployNow, ...input }: Input<typeof CreateRoute>,
  { slug, contested, counted, placement }: Address,
): Promise<Output<typeof CreateRoute>> {
  const { accountId, applicationId: id } = access;
  const now = deps.now().toISOString();
  const { appsDomain, cellId } = placement;
  const host = `${slug}.${appsDomain}`;
  const defaults = FRAMEWORK_DEFAULTS[input.framework];
  const deployment =
    deployNow && input.repoUrl
      ? newDeployment(deps, { accountId, applicationId: id }, callerTrigger(caller))
      : undefined;
  const claimed = customDomain ? newCustomDomain(deps, customDomain) : undefined;
  const app: App = {
    ...input,
    id,
    accountId,
    slug,
    repoUrl: input.repoUrl ?? null,
    branch: input.branch ?? DEFAULT_BRANCH,
    ...(input.branch === undefined ? { branchByDefault: true } : {}),
    nodeVersion: input.nodeVersion ?? DEFAULT_NODE_VERSION,
    ...(input.nodeVersion === undefined ? { nodeVersionByDefault: true } : {}),
    buildCommand: input.buildCommand === undefined ? defaults.buildCommand : input.buildCommand,
    startFile: input.startFile ?? defaults.startFile,
    ...(cellId === undefined ? {} : { cellId, slugHost: `${slug}.${deps.settings.appsDomain}` }),
    primaryDomain: customDomain ?? host,
    hosts: [host],
    ...(claimed ? { customDomain: claimed, dueAt: firstCheckAt(claimed) } : {}),
    status: 'RUNNING',
    autoDeploy: false,
    createdAt: now,
    updatedAt: now,
    ...(deployment ? { activeDeploymentId: deployment.id } : {}),
  };
  const taken =
    (name: string): TakenError =>
    (holder) =>
      new NameTaken(name, holder?.releasing);
  const writes: Write[] = [
    countTowards(deps, accountId, ['applications', ...(deployment ? (['buildMinutesPerMonth'] as const) : [])]),
    ...claimedHosts(app).map((name) => claim(Host, { host: name, accountId, applicationId: id }, taken(name))),
    create(App, app),
    create(GitAccess, access),
    emit(deps, accountId, 'app.created', { applicationId: id, name: input.name }),
    expectJob(deps, App, app, 'app.route-placeholder', now),
    ...counted,
  ];
  if (claimed) writes.push(...claimWrites(access, claimed, { contested, taken: taken(claimed.host) }));
  if (deployment)
    writes.push(deployment.write, ...enqueueBuild(deps, { id: deployment.id, accountId, applicationId: id }));
  return await deps.commit(writes, { data: viewApp(app) });
}
