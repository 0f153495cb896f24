import type { Lead, Leads } from '../providers/dns/targets.ts';
import type { HostRoutes } from '../providers/edge/host-routes.ts';
import type { Doors, Tenant } from '../providers/edge/tenants.ts';
import { Door } from '../table/entities/custom-domains.ts';
import { Host } from '../table/entities.ts';
import { erase } from '../table/writes.ts';
import { leadInOwnZone } from './custom-domains/zone-alias.ts';
import type { Deps } from './deps.ts';
import { type DoorKeys, type Look, later, MINUTE, over, SECOND, save } from './door-state.ts';
import { leadsElsewhere, noCertificate, taken, unanswered } from './door-words.ts';
import { Overtaken, overtaken } from './overtaken.ts';

/**
 * The doors of proven domains. One look makes of a door what can be made of it now, and may be repeated, die anywhere, and run
 * twice at once: a tenant is found by its name, and whoever makes one has said so before.
 */
type Keeping = Deps & { doors: Doors; leads: Leads; hostRoutes: HostRoutes; doorAddress: string };

/** Longer than a look can take (lib/stacks/custom-domains.ts): whoever began to make a tenant is not at it any more. */
const MAKING = 45 * SECOND;
/** A certificate is mostly there after a few minutes: then it is looked at whether the domain leads here still. */
const SLOW = 10 * MINUTE;

/** The tenant's name: no two claims, and so no two doors, share one. */
const tenantName = ({ token }: DoorKeys) => `door-${token}`;

/** Whether somebody may be making the tenant right now. */
const isBeingMade = (deps: Deps, { makingUntil }: Door) =>
  makingUntil !== undefined && makingUntil > deps.now().toISOString();

/** One look at a door. Throws what the edge's own trouble is; the execution tries again. */
export async function lookAtDoor(deps: Keeping, { host, token }: DoorKeys): Promise<Look> {
  const door = await deps.table.get(Door, { host });
  if (door?.token !== token) return over;
  try {
    return door.status === 'CLOSING' ? await close(deps, door) : await open(deps, door);
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error;
    return { done: false, waitSeconds: 2 };
  }
}

/** Brings a door as far as it gets. */
async function open(deps: Keeping, door: Door): Promise<Look> {
  const { host } = door;
  const name = tenantName(door);
  const tenant = await deps.doors.find(name);
  if (!tenant) return await make(deps, door);
  const { status, arn } = (await deps.doors.certificate(name)) ?? { status: 'PENDING', arn: undefined };
  if (status === 'PENDING') return (await save(deps, door, { status, problem: await whatHolds(deps, door) })).look;
  if (status === 'ISSUED' && arn) {
    if (tenant.certificate !== arn && tenant.deployed) await deps.doors.use(tenant, host, arn);
    const opened = tenant.certificate === arn && tenant.deployed && tenant.active;
    return (await save(deps, door, { status: opened ? 'ISSUED' : 'PENDING', problem: null })).look;
  }
  const problem = noCertificate(host, status === 'ISSUED' ? 'FAILED' : status);
  // The owner is told first; whoever looks at it again as it is, asks again.
  if (door.status !== 'FAILED') return (await save(deps, door, { status: 'FAILED', problem })).look;
  return await askAgain(deps, door, tenant);
}

/** What a certificate that is slow to come may be waiting for: a domain that was led somewhere else. */
async function whatHolds(deps: Keeping, door: Door): Promise<string | null> {
  if (door.status !== 'PENDING' || deps.now().getTime() - Date.parse(door.since) < SLOW) return null;
  const lead = await leadOf(deps, door);
  if (!lead) return unanswered(door.host);
  const elsewhere = lead.alias ? lead.alias !== deps.doorAddress : lead.addresses.length === 0;
  return elsewhere ? leadsElsewhere(door.host, deps.doorAddress, lead) : null;
}

async function askAgain(deps: Keeping, door: Door, tenant: Tenant): Promise<Look> {
  const made = await deps.doors.askAgain(tenant, door.host);
  if (made === 'MADE') return (await save(deps, door, askedOnceMore(door))).look;
  const lead = await leadOf(deps, door);
  const problem = lead ? leadsElsewhere(door.host, deps.doorAddress, lead) : unanswered(door.host);
  return (await save(deps, door, { problem })).look;
}

const askedOnceMore = ({ certificates }: Door) =>
  ({ status: 'PENDING', problem: null, certificates: certificates + 1 }) as const;

async function leadOf({ leads }: Keeping, { host }: Door): Promise<Lead | undefined> {
  try {
    return await leads.of(host);
  } catch {
    // Whose fault it is cannot be told from here, and the owner is who can do something about it.
    return undefined;
  }
}

/**
 * Has the tenant made, once the domain leads somewhere. Whether that is here only CloudFront can say: an ALIAS or ANAME shows
 * as addresses, which are others everywhere.
 */
async function make(deps: Keeping, door: Door): Promise<Look> {
  if (isBeingMade(deps, door)) return { done: false, waitSeconds: 5 };
  const { host } = door;
  const { ours, changed } = await leadInOwnZone(deps, door, deps.doorAddress, overtaken);
  if (changed) return { done: false, waitSeconds: 5 };
  const lead = await leadOf(deps, door);
  if (!lead) return (await save(deps, door, { status: 'WAITING', problem: unanswered(host) })).look;
  const { apex } = lead;
  const elsewhere = { status: 'WAITING', problem: leadsElsewhere(host, deps.doorAddress, lead, ours), apex } as const;
  if (!lead.alias && lead.addresses.length === 0) return (await save(deps, door, elsewhere)).look;
  const { door: held } = await save(deps, door, { makingUntil: later(deps.now().getTime(), MAKING), apex });
  const made = await deps.doors.make(tenantName(door), host);
  // An attempt that throws may have made it all the same: then nobody lets go before its time.
  const { makingUntil: _, ...free } = held;
  if (made === 'ELSEWHERE') return (await save(deps, free, elsewhere)).look;
  if (made === 'TAKEN') return (await save(deps, free, { status: 'FAILED', problem: taken(host) })).look;
  return (await save(deps, free, askedOnceMore(free))).look;
}

/** Takes a door away, and with the last of it the claim of its host. */
async function close(deps: Keeping, door: Door): Promise<Look> {
  const { host, applicationId, version } = door;
  const tenant = await deps.doors.find(tenantName(door));
  if (!tenant || tenant.enabled) await deps.hostRoutes.remove([host]);
  if (tenant?.enabled) await deps.doors.disable(tenant, host);
  else if (tenant) await deps.doors.remove(tenant);
  if (tenant || isBeingMade(deps, door)) return (await save(deps, door, {})).look;
  await leadInOwnZone(deps, door, undefined, overtaken);
  await deps.table.transact([
    erase(Door, { host }, { version: { is: version } }, overtaken),
    erase(Host, { host }, { applicationId: { is: applicationId } }, overtaken),
  ]);
  return over;
}
