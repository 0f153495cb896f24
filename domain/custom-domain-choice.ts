import type {
  removeCustomDomain as RemoveRoute,
  setCustomDomain as SetRoute,
} from '../contract/custom-domains/custom-domains.ts';
import { ApiError } from '../contract/errors.ts';
import type { Input, Output } from '../contract/route.ts';
import { App, checkedAgainAt, Host } from '../table/entities.ts';
import { change, claim, erase } from '../table/writes.ts';
import { assertOwnDomain, domainTaken, findApp } from './apps.ts';
import { type Address, doorOf, noDomain, view } from './custom-domains.ts';
import type { Caller, Deps } from './deps.ts';
import { newCustomDomain } from './domain-claims.ts';
import { closing } from './door-keeping.ts';
import { Overtaken, overtaken } from './overtaken.ts';

const hasOne = () => new ApiError('conflict', 'This application has a domain of its own already: remove that first.');

/** PUT /dashboard/v1/apps/{id}/domain. Throws 409 for a domain that is taken, or where there is one already. */
export async function setCustomDomain(
  deps: Deps & Address,
  caller: Caller,
  { id, domain }: Input<typeof SetRoute>,
): Promise<Output<typeof SetRoute>> {
  assertOwnDomain(deps, domain, 'domain');
  const app = await findApp(deps, caller, id);
  if (app.customDomain?.host === domain) return view(app, await doorOf(deps, app), deps);
  if (app.customDomain) throw hasOne();
  const customDomain = newCustomDomain(deps, domain);
  const set = {
    ...{ customDomain, primaryDomain: domain, updatedAt: deps.now().toISOString() },
    ...(customDomain.checkAt ? checkedAgainAt(customDomain.checkAt) : {}),
  };
  const when = { customDomain: 'absent', status: { isNot: 'DELETING' } } as const;
  const claimed = { host: domain, accountId: app.accountId, applicationId: id };
  return await deps.commit(
    [
      change(App, app, { set, when }, hasOne),
      claim(Host, claimed, (holder) => domainTaken('domain', domain, holder?.leaving)),
    ],
    view({ ...app, customDomain }, undefined, deps),
  );
}

/** How often it is begun again because somebody looked at the door meanwhile. */
const ATTEMPTS = 10;

/** DELETE /dashboard/v1/apps/{id}/domain. Without a door the domain is free at once, with one when that has closed. */
export async function removeCustomDomain(
  deps: Deps,
  caller: Caller,
  { id }: Input<typeof RemoveRoute>,
): Promise<Output<typeof RemoveRoute>> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await removeOnce(deps, caller, id);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      if (attempt === ATTEMPTS) {
        throw new ApiError('server_error', 'The service is busy. It is safe to retry.', { status: 503 });
      }
      await new Promise((done) => setTimeout(done, Math.random() * 20 * attempt));
    }
  }
}

async function removeOnce(deps: Deps, caller: Caller, id: string): Promise<Output<typeof RemoveRoute>> {
  const app = await findApp(deps, caller, id);
  const { customDomain, slug } = app;
  if (!customDomain) throw noDomain();
  const { host, token, status } = customDomain;
  const door = await doorOf(deps, app);
  const set = { primaryDomain: `${slug}.${deps.settings.appsDomain}`, updatedAt: deps.now().toISOString() };
  const same = {
    'customDomain.token': { is: token },
    'customDomain.status': { is: status },
    status: { isNot: 'DELETING' },
  };
  const mine = { applicationId: { is: id } };
  return await deps.commit(
    [
      change(App, app, { set, remove: ['customDomain', 'duePk', 'dueAt'], when: same }, overtaken),
      ...(door
        ? [closing(deps, door), change(Host, { host }, { set: { leaving: true }, when: mine }, overtaken)]
        : [erase(Host, { host }, mine, overtaken)]),
    ],
    { data: { domain: host, removed: true } },
  );
}
