import type {
  checkCustomDomain as CheckRoute,
  getCustomDomain as GetRoute,
} from '../contract/custom-domains/custom-domains.ts';
import { ApiError } from '../contract/errors.ts';
import type { Input, Output } from '../contract/route.ts';
import type { TxtRecords } from '../providers/dns/txt-records.ts';
import { aliasOf, type HostRoutes } from '../providers/edge/host-routes.ts';
import { Door } from '../table/entities/custom-domains.ts';
import { App, type CustomDomain, checkedAgainAt, Host } from '../table/entities.ts';
import { splitKey } from '../table/keys.ts';
import { change, erase, type Write } from '../table/writes.ts';
import { findApp } from './apps.ts';
import { domainsAbove } from './custom-domains/zone-alias.ts';
import type { Caller, Deps } from './deps.ts';
import { claimEnd, FIRST_LOOK } from './domain-claims.ts';
import { askForLook, newDoor } from './door-keeping.ts';
import { Overtaken, overtaken } from './overtaken.ts';

/** An unproven domain is looked at again after as long as it has waited, but not later than this, in milliseconds. */
const LATEST = 3600_000;

const challengeName = (host: string) => `_hosting-challenge.${host}`;

/** Where domains are to lead. */
export interface Address {
  doorAddress: string;
}

export const noDomain = () => new ApiError('not_found', 'This application has no domain of its own.');

export function view({ customDomain }: App, door: Door | undefined, { doorAddress }: Address): Output<typeof GetRoute> {
  if (!customDomain) throw noDomain();
  const { host, status, token, problem = null, checkedAt } = customDomain;
  return {
    data: {
      domain: host,
      status,
      challenge: { type: 'TXT', name: challengeName(host), value: token },
      target: { type: door?.apex ? 'ALIAS' : 'CNAME', name: host, value: doorAddress },
      ...{ problem, checkedAt, claimedUntil: status === 'PENDING' ? claimEnd(customDomain) : null },
      certificate: certificateOf(door),
    },
  };
}

function certificateOf(door: Door | undefined): Output<typeof GetRoute>['data']['certificate'] {
  if (!door || door.status === 'CLOSING') return null;
  const { status, problem, checkedAt } = door;
  return { status, problem, checkedAt };
}

/** The door of an application's proven domain; names that nobody can own have none. */
export async function doorOf(deps: Deps, { customDomain }: App): Promise<Door | undefined> {
  if (customDomain?.status !== 'VERIFIED') return undefined;
  const door = await deps.table.get(Door, { host: customDomain.host });
  return door?.token === customDomain.token ? door : undefined;
}

/** What speaks against a domain's being its claimer's; undefined for nothing. */
async function problemOf({ host, token }: CustomDomain, txt: TxtRecords): Promise<string | undefined> {
  const name = challengeName(host);
  try {
    const texts = await txt.at(name);
    if (texts.includes(token)) return undefined;
    return texts.length > 0 ? `The TXT record ${name} has another value.` : `There is no TXT record ${name} yet.`;
  } catch {
    // Whose fault it is cannot be told from here, and the owner is who can do something about it.
    return `The name servers of ${host} do not answer.`;
  }
}

/** The claim that was never proven ends: the name is anybody's, the application answers at its own address. */
function letGo(deps: Deps, app: App, { host, token }: CustomDomain): Write[] {
  const when = { 'customDomain.token': { is: token }, status: { isNot: 'DELETING' } };
  const set = { primaryDomain: `${app.slug}.${deps.settings.appsDomain}`, updatedAt: deps.now().toISOString() };
  return [
    change(App, app, { set, remove: ['customDomain', 'duePk', 'dueAt'], when }, overtaken),
    erase(Host, { host }, { applicationId: { is: app.id } }, overtaken),
  ];
}

/** Whether the account has registered the domain, or one above it, with us: that is a proof by itself. */
const isHeld = async (deps: Deps, accountId: string, host: string): Promise<boolean> =>
  (await domainsAbove(deps, accountId, host)).length > 0;

const stillClaimed = ({ token }: CustomDomain) =>
  ({
    'customDomain.token': { is: token },
    'customDomain.status': { is: 'PENDING' },
    status: { isNot: 'DELETING' },
  }) as const;

/** The claim has become a right; the stream routes the domain and has its door opened. */
async function accept(deps: Deps, app: App, domain: CustomDomain): Promise<App> {
  const { problem: _, checkAt: __, ...rest } = domain;
  const customDomain: CustomDomain = { ...rest, status: 'VERIFIED', checkedAt: deps.now().toISOString() };
  const what = { set: { customDomain }, remove: ['duePk', 'dueAt'], when: stillClaimed(domain) };
  await deps.table.transact([change(App, app, what, overtaken), newDoor(deps, app, customDomain)]);
  return { ...app, customDomain };
}

/** A claimed domain that its owner has registered with us waits for nothing. */
export async function acceptHeldDomain(deps: Deps, app: App): Promise<void> {
  const { accountId, customDomain } = app;
  if (customDomain?.status !== 'PENDING' || !(await isHeld(deps, accountId, customDomain.host))) return;
  try {
    await accept(deps, app, customDomain);
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error; // it was accepted before, or the application deleted
  }
}

/** Looks for the proof, and writes down what there is. */
async function check(deps: Deps & { txt: TxtRecords }, app: App, domain: CustomDomain): Promise<App> {
  const held = await isHeld(deps, app.accountId, domain.host);
  const problem = held ? undefined : await problemOf(domain, deps.txt);
  if (!problem) return await accept(deps, app, domain);
  const now = deps.now();
  if (now.toISOString() > claimEnd(domain)) {
    await deps.table.transact(letGo(deps, app, domain));
    return app;
  }
  const waited = now.getTime() - Date.parse(domain.claimedAt);
  const checkAt = new Date(now.getTime() + Math.min(Math.max(waited, FIRST_LOOK), LATEST)).toISOString();
  const customDomain: CustomDomain = { ...domain, problem, checkAt, checkedAt: now.toISOString() };
  const what = { set: { customDomain, ...checkedAgainAt(checkAt) }, when: stillClaimed(domain) };
  await deps.table.transact([change(App, app, what, overtaken)]);
  return { ...app, customDomain };
}

/** GET /dashboard/v1/apps/{id}/domain */
export async function getCustomDomain(
  deps: Deps & Address,
  caller: Caller,
  { id }: Input<typeof GetRoute>,
): Promise<Output<typeof GetRoute>> {
  const app = await findApp(deps, caller, id);
  return view(app, await doorOf(deps, app), deps);
}

/** POST /dashboard/v1/apps/{id}/domain/check: what the reconciler does in its own time, now. */
export async function checkCustomDomain(
  deps: Deps & Address & { txt: TxtRecords },
  caller: Caller,
  { id }: Input<typeof CheckRoute>,
): Promise<Output<typeof CheckRoute>> {
  const app = await findApp(deps, caller, id);
  if (app.customDomain?.status !== 'PENDING') {
    const door = await doorOf(deps, app);
    return view(app, door && (await askForLook(deps, door)), deps);
  }
  try {
    await check(deps, app, app.customDomain);
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error;
  }
  return await getCustomDomain(deps, caller, { id });
}

/**
 * A proven domain leads where the application's own address leads, now and after each release. The stream may tell of it
 * again, when it is given up, or somebody else's: then it leads where it does.
 */
export async function routeCustomDomain(
  { settings, table, hostRoutes }: Pick<Deps, 'settings' | 'table'> & { hostRoutes: HostRoutes },
  { id, slug, customDomain }: App,
): Promise<void> {
  if (!customDomain) return;
  const claim = await table.get(Host, { host: customDomain.host });
  if (claim?.applicationId !== id || claim.leaving) return;
  await hostRoutes.point([customDomain.host], aliasOf(`${slug}.${settings.appsDomain}`));
}

/** A domain that was let go of leads nowhere any more. One with a door goes with its door, and one that somebody has again is theirs. */
export async function unrouteCustomDomain(
  deps: Pick<Deps, 'table'> & { hostRoutes: HostRoutes },
  { customDomain }: App,
): Promise<void> {
  if (!customDomain || (await deps.table.get(Host, { host: customDomain.host }))) return;
  await deps.hostRoutes.remove([customDomain.host]);
}

/** How many domains one run of the reconciler looks at, and how many of them at once: most of it is waiting. */
const BATCH = 100;
const AT_ONCE = 20;

/** Looks at the domains whose time has come. @returns how many */
export async function reconcileCustomDomains(deps: Deps & { txt: TxtRecords }): Promise<number> {
  const due = await deps.table.due('CUSTOM_DOMAIN', deps.now().toISOString(), BATCH);
  const look = async ({ pk, sk }: (typeof due)[number]): Promise<void> => {
    const [, accountId = ''] = splitKey(pk);
    const [, id = ''] = splitKey(sk);
    const app = await deps.table.get(App, { accountId, id });
    if (app?.customDomain?.status !== 'PENDING') return;
    try {
      await check(deps, app, app.customDomain);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
  };
  for (let from = 0; from < due.length; from += AT_ONCE) {
    await Promise.all(due.slice(from, from + AT_ONCE).map(look));
  }
  return due.length;
}
