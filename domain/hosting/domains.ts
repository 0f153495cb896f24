import { createHash } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import type { TxtRecords } from '../../providers/dns/txt-records.ts';
import { Host } from '../../table/entities/apps.ts';
import { Subscription, subscriptionsOf } from '../../table/entities/billing.ts';
import {
  FormerHostingDomain,
  HostingAccount,
  HostingDomain,
  hostedDomainsNear,
  RESERVED_DAYS,
} from '../../table/entities/hosting.ts';
import { allUnchanged } from '../../table/expressions.ts';
import { schedule } from '../../table/schedule.ts';
import { change, create, remove, replace, type Write } from '../../table/writes.ts';
import { assertNotPlatformDomain, listCells } from '../apps/cells.ts';
import { concurrentUpdate, retryOnConflict, tryChange } from '../conflict.ts';
import { findVerifiedHolder, isReservedName } from '../custom-domains/claim.ts';
import { eachBelow } from '../custom-domains/names-below.ts';
import { challengeName, findMissingProof, type MissingProof, releasedAt } from '../custom-domains/ownership.ts';
import { findRegistrations, namesFrom } from '../custom-domains/zone-alias.ts';
import type { Deps } from '../deps.ts';
import { DAY_MS, millisecondsBetween } from '../time.ts';

/**
 * The domains of hosting subscriptions. Each belongs to one account. An unproven domain is hosted, but the server accepts no mail for
 * it, and the first account that proves the domain takes it over.
 */
type DomainDeps = Pick<Deps, 'table' | 'now'> & { txt: TxtRecords };
type ClaimDeps = DomainDeps & Pick<Deps, 'settings'>;

/** Interval at which a proven domain is verified again, in milliseconds. */
const VERIFICATION_INTERVAL_MS = 7 * DAY_MS;

/** Returns the value of the TXT record that proves a domain for the hosting of an account. */
const hostingToken = (accountId: string, domain: string): string =>
  createHash('sha256').update(`hosting ${accountId} ${domain}`).digest('hex').slice(0, 40);

/** Returns the TXT record that proves a domain for the hosting of an account. */
export const hostingChallenge = (accountId: string, domain: string) => ({
  type: 'TXT',
  name: challengeName(domain),
  value: hostingToken(accountId, domain),
});

/** Returns true for a domain that the account has verified as a custom domain of an application. */
async function isVerifiedHere(deps: DomainDeps, accountId: string, domain: string): Promise<boolean> {
  const host = await deps.table.get(Host, { host: domain });
  if (host?.accountId !== accountId || host.releasing || host.unprovenSince) return false;
  return (await findVerifiedHolder(deps, host)) !== undefined;
}

/**
 * Looks for the proof that an account owns a domain: its registration, its verification as a custom domain, or the TXT record.
 * @returns the missing proof; undefined if there is one
 */
async function findMissingHostingProof(
  deps: DomainDeps,
  accountId: string,
  domain: string,
): Promise<MissingProof | undefined> {
  if (isReservedName(domain) || (await isVerifiedHere(deps, accountId, domain))) return undefined;
  return await findMissingProof(deps, accountId, { host: domain, token: hostingToken(accountId, domain) });
}

/** Returns true for a name that another account hosts and has proven, hosted until recently, or has verified as a custom domain. */
async function isProvenByOther(deps: DomainDeps, accountId: string, name: string): Promise<boolean> {
  const [hosted, former, host] = await Promise.all([
    deps.table.get(HostingDomain, { domain: name }),
    deps.table.get(FormerHostingDomain, { domain: name }),
    deps.table.get(Host, { host: name }),
  ]);
  if (hosted?.provenAt) return hosted.accountId !== accountId;
  if (former && former.accountId !== accountId) return true;
  return host !== undefined && host.accountId !== accountId && (await findVerifiedHolder(deps, host)) !== undefined;
}

/**
 * Returns true for a domain that belongs to the platform or another account, or is below such a domain. Such a name may already point to
 * the server, by a wildcard record or a record that was not removed.
 */
async function isOwnedByOther(deps: ClaimDeps, accountId: string, domain: string): Promise<boolean> {
  const names = namesFrom(domain);
  if (names.includes(new URL(deps.settings.publicUrl).hostname)) return true;
  if ((await findRegistrations(deps, domain)).some((each) => each.accountId !== accountId)) return true;
  return (await Promise.all(names.map((name) => isProvenByOther(deps, accountId, name)))).includes(true);
}

const domainTaken = (domain: string) =>
  new ApiError('conflict', `hostingDomain: ${domain} is hosted for another account, which has proven that it owns it`);

function proofRequired(accountId: string, domain: string): ApiError {
  const { name, value } = hostingChallenge(accountId, domain);
  return new ApiError(
    'conflict',
    `hostingDomain: another account uses ${domain} or a domain above it, or did in the last ${RESERVED_DAYS} days. If it is yours, add the TXT record ${name} with the value ${value}, and order again`,
  );
}

/**
 * Checks that an account may order hosting for a domain. Throws 409 for a domain that another account uses, unless this account
 * proves that it owns it, and 400 for a domain under which applications have their default addresses.
 * @returns a function that builds the write which assigns the domain to a new subscription
 */
export async function claimHostingDomain(
  deps: ClaimDeps,
  accountId: string,
  domain: string,
): Promise<(subscriptionId: string) => Write> {
  assertNotPlatformDomain(deps, await listCells(deps), domain, 'hostingDomain');
  const held = await deps.table.get(HostingDomain, { domain });
  const isMine = held?.accountId === accountId;
  const checkedAt = deps.now().toISOString();
  if (isMine) {
    const same = { accountId: { is: accountId } };
    return (subscriptionId) =>
      change(HostingDomain, { domain }, { set: { subscriptionId }, when: same }, concurrentUpdate);
  }
  const isContested = held !== undefined || (await isOwnedByOther(deps, accountId, domain));
  if (isContested && (await findMissingHostingProof(deps, accountId, domain))) throw proofRequired(accountId, domain);
  if (held?.provenAt) {
    const missing = await findMissingHostingProof(deps, held.accountId, domain);
    if (!missing?.isDefinite) throw domainTaken(domain);
  }
  const item = { domain, accountId, checkedAt, ...(isContested ? { provenAt: checkedAt } : {}) };
  return (subscriptionId) => storeWrite({ ...item, subscriptionId }, held);
}

/**
 * Ownership of a hosted domain. `PROVEN`: proven by this account. `UNPROVEN`: not proven by any account; the server accepts no mail for it.
 * `LOST`: proven by another account.
 */
export type DomainState = 'PROVEN' | 'UNPROVEN' | 'LOST';

/** Returns the stored fields of a domain without a current proof. An earlier proof counts until its grace period is over. */
function unprovenFields(mine: HostingDomain | undefined, { problem }: MissingProof, checkedAt: string) {
  const unprovenSince = mine?.unprovenSince ?? checkedAt;
  const isInGrace = mine?.provenAt && releasedAt(unprovenSince) > checkedAt;
  return isInGrace ? { problem, provenAt: mine.provenAt, unprovenSince } : { problem };
}

const isProvenRecently = ({ provenAt, unprovenSince, checkedAt }: HostingDomain, now: Date): boolean =>
  provenAt !== undefined && !unprovenSince && millisecondsBetween(now, checkedAt) < VERIFICATION_INTERVAL_MS;

/** Returns the write that replaces a domain, on the condition that it is unchanged since it was read. */
function storeWrite(next: HostingDomain, held: HostingDomain | undefined): Write {
  if (!held) return create(HostingDomain, next, concurrentUpdate);
  const same = allUnchanged(held, ['accountId', 'subscriptionId', 'checkedAt', 'provenAt', 'unprovenSince']);
  return replace(HostingDomain, next, same, concurrentUpdate);
}

/** Verifies the domain of a subscription, at most once a week while it is proven, and stores the result. */
export const verifyHostingDomain = (
  deps: DomainDeps,
  { accountId, id: subscriptionId, hostingDomain }: Subscription,
): Promise<DomainState> =>
  retryOnConflict(async () => {
    const domain = hostingDomain ?? '';
    const held = await deps.table.get(HostingDomain, { domain });
    const mine = held?.accountId === accountId ? held : undefined;
    const other = mine ? undefined : held;
    if (other?.provenAt) return 'LOST';
    const now = deps.now();
    if (mine && isProvenRecently(mine, now)) return 'PROVEN';
    const missing = await findMissingHostingProof(deps, accountId, domain);
    if (other && missing) return 'UNPROVEN';
    const checkedAt = now.toISOString();
    const next: HostingDomain = {
      domain,
      accountId,
      subscriptionId: mine?.subscriptionId ?? subscriptionId,
      checkedAt,
      ...(missing ? unprovenFields(mine, missing, checkedAt) : { provenAt: mine?.provenAt ?? checkedAt }),
    };
    await deps.table.transact([storeWrite(next, held)]);
    return next.provenAt ? 'PROVEN' : 'UNPROVEN';
  });

/**
 * Releases the domain of a subscription whose account on the server is removed, unless another subscription hosts it. A proven domain stays
 * reserved for a while: other accounts then need a proof.
 */
export const releaseHostingDomain = (deps: DomainDeps, { accountId, id, hostingDomain }: Subscription): Promise<void> =>
  // A conflict means that another subscription holds the domain by now. That one may have ended as well, hence the retry.
  retryOnConflict(async () => {
    const domain = hostingDomain ?? '';
    const held = await deps.table.get(HostingDomain, { domain });
    if (held?.accountId !== accountId) return;
    const all = await deps.table.all(Subscription, subscriptionsOf(accountId));
    const others = all.filter((each) => each.id !== id && each.hostingDomain === domain);
    const other = others.find((each) => each.panel?.status !== 'REMOVED');
    const same = { accountId: { is: accountId }, subscriptionId: { is: held.subscriptionId } };
    if (other) {
      const update = { set: { subscriptionId: other.id }, when: same };
      await deps.table.transact([change(HostingDomain, { domain }, update, concurrentUpdate)]);
      return;
    }
    const former = { domain, accountId, createdAt: deps.now().toISOString() };
    const isReserved = held.provenAt !== undefined && !isReservedName(domain);
    await deps.table.transact([
      remove(HostingDomain, { domain }, same, concurrentUpdate),
      ...(isReserved ? [create(FormerHostingDomain, former, concurrentUpdate, {})] : []),
    ]);
  });

const HOSTED_DOMAINS = {
  entity: HostingDomain,
  near: hostedDomainsNear,
  nameOf: ({ domain }: HostingDomain) => domain,
};

/** Checks the proofs of a hosted domain whose registration began or ended, and of the domains below it, without waiting for their due time. */
export async function recheckHostingProofs(deps: Pick<Deps, 'table' | 'now'>, registered: string): Promise<void> {
  // Items of earlier versions are in no list until they are verified again.
  const listed = new Set([registered]);
  for await (const { domain } of eachBelow(deps, HOSTED_DOMAINS, registered)) listed.add(domain);
  for (const domain of listed) await recheckHostingProof(deps, domain);
}

async function recheckHostingProof(deps: Pick<Deps, 'table' | 'now'>, domain: string): Promise<void> {
  const held = await deps.table.get(HostingDomain, { domain });
  if (!held) return;
  const { accountId, subscriptionId: id } = held;
  const registrations = await findRegistrations(deps, domain);
  if (!registrations.some((registration) => registration.accountId === accountId)) {
    const update = { remove: ['provenAt', 'unprovenSince'], when: { accountId: { is: accountId } } };
    await tryChange(deps, HostingDomain, { domain }, update);
  }
  const account = await deps.table.get(HostingAccount, { accountId, id });
  if (account && account.status !== 'REMOVED') await makeDue(deps, account);
}

/** Makes the account due, so that the next run of the reconciler compares it with its domain's state. */
async function makeDue(deps: Pick<Deps, 'table' | 'now'>, account: HostingAccount): Promise<void> {
  const next = { set: schedule(HostingAccount, deps.now()), when: { status: { isNot: 'REMOVED' } } };
  await tryChange(deps, HostingAccount, account, next);
}

/**
 * Looks for the account's proof of its hosting domain, and throws 409 without one. In the control panel an owner can change the mail
 * routing on the server, and would then receive the mail that the server's other customers send to the domain.
 */
export async function assertProven(
  deps: DomainDeps,
  subscription: Subscription,
  account: HostingAccount,
): Promise<void> {
  const { accountId, hostingDomain } = subscription;
  if ((await verifyHostingDomain(deps, subscription)) !== 'PROVEN') {
    const { type, name, value } = hostingChallenge(accountId, hostingDomain ?? '');
    throw new ApiError(
      'conflict',
      `The control panel opens once ${hostingDomain} is proven to be yours: register it in this account, or add the ${type} record ${name} with the value ${value}, and try again.`,
    );
  }
  if (account.mail !== 'LOCAL') await makeDue(deps, account);
}
