import type {
  removeCustomDomain as RemoveRoute,
  setCustomDomain as SetRoute,
} from '../../contract/custom-domains/custom-domains.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import { App, Host } from '../../table/entities/apps.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change, claim, remove } from '../../table/writes.ts';
import { assertNotPlatformDomain, domainTaken, findApp } from '../apps/apps.ts';
import { concurrentUpdate, retryOnConflict, serviceBusy } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { countToday, findAccount } from '../limits/limits.ts';
import { firstCheckAt, newCustomDomain } from './claim.ts';
import { releaseTenant } from './reconciliation.ts';
import { type EdgeEndpoint, findTenant, noDomain, viewCustomDomain } from './verify.ts';

const alreadySet = () =>
  new ApiError('conflict', 'This application has a domain of its own already: remove that first.');

/** PUT /dashboard/v1/apps/{id}/domain. Throws 409 for a domain that is taken, or where there is one already. */
export async function setCustomDomain(
  deps: Deps & EdgeEndpoint,
  caller: Caller,
  { id, domain }: Input<typeof SetRoute>,
): Promise<Output<typeof SetRoute>> {
  assertNotPlatformDomain(deps, domain, 'domain');
  const [app, account] = await Promise.all([findApp(deps, caller, id), findAccount(deps, caller.accountId)]);
  if (app.customDomain?.host === domain) return viewCustomDomain(app, await findTenant(deps, app), deps);
  if (app.customDomain) throw alreadySet();
  const customDomain = newCustomDomain(deps, domain);
  const checkAt = firstCheckAt(customDomain);
  const set = {
    ...{ customDomain, primaryDomain: domain, updatedAt: deps.now().toISOString() },
    ...(checkAt ? schedule(App, checkAt) : {}),
  };
  const when = { customDomain: 'absent', status: { isNot: 'DELETING' } } as const;
  const claimed = { host: domain, accountId: app.accountId, applicationId: id };
  return await deps.commit(
    [
      change(App, app, { set, when }, alreadySet),
      claim(Host, claimed, (holder) => domainTaken('domain', domain, holder?.releasing)),
      countToday(deps, account, 'customDomainsPerDay'),
    ],
    viewCustomDomain({ ...app, customDomain }, undefined, deps),
  );
}

/** DELETE /dashboard/v1/apps/{id}/domain. Without a tenant the domain is free at once; with one, after its removal. */
export const removeCustomDomain = (
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof RemoveRoute>,
): Promise<Output<typeof RemoveRoute>> =>
  retryOnConflict(() => removeOnce(deps, caller, id), { onExhausted: serviceBusy });

async function removeOnce(deps: Deps, caller: Caller, id: string): Promise<Output<typeof RemoveRoute>> {
  const app = await findApp(deps, caller, id);
  const { customDomain, slug } = app;
  if (!customDomain) throw noDomain();
  const { host, token, status } = customDomain;
  const tenant = await findTenant(deps, app);
  const set = { primaryDomain: `${slug}.${deps.settings.appsDomain}`, updatedAt: deps.now().toISOString() };
  const same = {
    'customDomain.token': { is: token },
    'customDomain.status': { is: status },
    status: { isNot: 'DELETING' },
  };
  const mine = { applicationId: { is: id } };
  return await deps.commit(
    [
      change(App, app, { set, remove: ['customDomain', ...unschedule(App)], when: same }, concurrentUpdate),
      ...(tenant
        ? [
            releaseTenant(deps, tenant),
            change(Host, { host }, { set: { releasing: true }, when: mine }, concurrentUpdate),
          ]
        : [remove(Host, { host }, mine, concurrentUpdate)]),
    ],
    { data: { domain: host, removed: true } },
  );
}
