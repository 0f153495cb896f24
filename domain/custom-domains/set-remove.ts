import type {
  removeCustomDomain as RemoveRoute,
  setCustomDomain as SetRoute,
} from '../../contract/custom-domains/custom-domains.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { App } from '../../table/entities/apps.ts';
import { schedule } from '../../table/schedule.ts';
import { changeExisting, domainTaken, findApp } from '../apps/apps.ts';
import { assertNotPlatformDomain, type InCell, listCells } from '../apps/cells.ts';
import { retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { countToday, findAccount } from '../limits/limits.ts';
import { claimWrites, firstCheckAt, isContestable, newCustomDomain, type TakenError } from './claim.ts';
import { findTenant, releaseCustomDomain } from './release.ts';
import { noSuchCustomDomain, viewCustomDomain } from './verify.ts';

const alreadySet = () => new ApiError('conflict', 'This application already has a custom domain. Remove it first.');

/** PUT /dashboard/v1/apps/{id}/domain. Throws 409 if the domain is taken, or if the application already has one. */
export const setCustomDomain = (
  deps: Deps & InCell<'edgeEndpoint'>,
  caller: Caller,
  input: Input<typeof SetRoute>,
): Promise<Output<typeof SetRoute>> => retryRequest(() => setOnce(deps, caller, input));

async function setOnce(
  deps: Deps & InCell<'edgeEndpoint'>,
  caller: Caller,
  { id, domain }: Input<typeof SetRoute>,
): Promise<Output<typeof SetRoute>> {
  const [app, account, cells] = await Promise.all([
    findApp(deps, caller, id),
    findAccount(deps, caller.accountId),
    listCells(deps),
  ]);
  assertNotPlatformDomain(deps, cells, domain, 'domain');
  if (app.customDomain?.host === domain) return viewCustomDomain(deps, app, await findTenant(deps, app));
  if (app.customDomain) throw alreadySet();
  const customDomain = newCustomDomain(deps, domain);
  const checkAt = firstCheckAt(customDomain);
  const set = {
    customDomain,
    primaryDomain: domain,
    updatedAt: deps.now().toISOString(),
    ...(checkAt ? schedule(App, checkAt) : {}),
  };
  const when = { customDomain: 'absent', status: { isNot: 'DELETING' } } as const;
  const ids = { accountId: app.accountId, applicationId: id };
  const contested = await isContestable(deps, domain, app.accountId);
  const taken: TakenError = (holder) => domainTaken('domain', domain, holder?.releasing);
  return await deps.commit(
    [
      changeExisting(app, { set, when }),
      ...claimWrites(ids, customDomain, { contested, taken }),
      countToday(deps, account, 'customDomainsPerDay'),
    ],
    await viewCustomDomain(deps, { ...app, customDomain }, undefined),
  );
}

/** DELETE /dashboard/v1/apps/{id}/domain. The domain is free immediately or, if it has a tenant, after the tenant's removal. */
export const removeCustomDomain = (
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof RemoveRoute>,
): Promise<Output<typeof RemoveRoute>> => retryRequest(() => removeOnce(deps, caller, id));

async function removeOnce(deps: Deps, caller: Caller, id: string): Promise<Output<typeof RemoveRoute>> {
  const app = await findApp(deps, caller, id);
  if (!app.customDomain) throw noSuchCustomDomain();
  const { host, status } = app.customDomain;
  const data = { domain: host, removed: true as const };
  return await deps.commit(await releaseCustomDomain(deps, app), { data }, { before: { domain: host, status } });
}
