import type { TxtRecords } from '../../providers/dns/txt-records.ts';
import { App, type CustomDomain, Host, verifiedHostsNear } from '../../table/entities/apps.ts';
import { schedule, unschedule } from '../../table/schedule.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, ignoreConflict, tryChange } from '../conflict.ts';
import type { Deps } from '../deps.ts';
import type { DueQueue } from '../sweep/sweep.ts';
import { DAY_MS, timestampAfter } from '../time.ts';
import { nameServersSilentMessage, proofMissingMessage } from './messages.ts';
import { releaseAsPlatform } from './release.ts';
import { findEnclosingDomains } from './zone-alias.ts';

/**
 * Ownership of verified domains, which is verified again every week. If the proof is missing, the owner is told, and it is checked
 * every day; after the grace period the domain is released. During the grace period the domain keeps serving, and other accounts may
 * claim it.
 */
const VERIFICATION_INTERVAL_MS = 7 * DAY_MS;
const GRACE_PERIOD_MS = 7 * DAY_MS;
const GRACE_CHECK_INTERVAL_MS = DAY_MS;

export type OwnershipDeps = Deps & { txt: TxtRecords };

/** Returns the name of the TXT record that proves ownership of a host. */
export const challengeName = (host: string) => `_hosting-challenge.${host}`;

/** Returns the time at which the proof of a verified domain is checked again, in ISO 8601. */
export const nextVerification = (now: Date): string => timestampAfter(now, VERIFICATION_INTERVAL_MS);

/** Returns the end of the grace period of a domain without proof, at which it is released. */
export const releasedAt = (unprovenSince: string): string => timestampAfter(unprovenSince, GRACE_PERIOD_MS);

/** The reason why an account has not proven that it owns a host. */
export interface MissingProof {
  problem: string;
  /** False if the name servers did not answer, which proves nothing. */
  isDefinite: boolean;
}

/**
 * Checks that an account owns a host: it has registered the domain here, or the host's TXT record has the token. The record is
 * required even if another account has registered the domain here.
 * @returns undefined if the proof is there
 */
export async function findMissingProof(
  deps: Pick<Deps, 'table'> & { txt: TxtRecords },
  accountId: string,
  { host, token }: { host: string; token: string },
): Promise<MissingProof | undefined> {
  if ((await findEnclosingDomains(deps, accountId, host)).length > 0) return undefined;
  const name = challengeName(host);
  try {
    const texts = await deps.txt.at(name);
    if (texts.includes(token)) return undefined;
    const problem =
      texts.length > 0 ? `The TXT record ${name} has another value.` : `There is no TXT record ${name} yet.`;
    return { problem, isDefinite: true };
  } catch {
    return { problem: nameServersSilentMessage(host), isDefinite: false };
  }
}

const isVerifiedBy = (app: App | undefined, host: string): app is App & { customDomain: CustomDomain } =>
  app !== undefined &&
  app.status !== 'DELETING' &&
  app.customDomain?.host === host &&
  app.customDomain.status === 'VERIFIED';

/** Verifies the ownership of a verified domain again, and stores the result for the owner to see. Releases the domain after the grace period. */
export async function verifyAgain(deps: OwnershipDeps, held: Host): Promise<void> {
  const { host, accountId, applicationId } = held;
  const app = await deps.table.get(App, { accountId, id: applicationId });
  const isStillHeld = { applicationId: { is: applicationId } };
  if (held.releasing || !isVerifiedBy(app, host)) {
    await deps.table.transact([
      change(Host, { host }, { remove: unschedule(Host), when: isStillHeld }, concurrentUpdate),
    ]);
    return;
  }
  const { customDomain } = app;
  const missing = await findMissingProof(deps, accountId, customDomain);
  const now = deps.now();
  const since = held.unprovenSince ?? now.toISOString();
  if (missing && releasedAt(since) <= now.toISOString()) {
    await releaseAsPlatform(deps, app);
    return;
  }
  const { problem: _, unprovenSince: __, ...proven } = { ...customDomain, checkedAt: now.toISOString() };
  const shown: CustomDomain = missing
    ? { ...proven, unprovenSince: since, problem: proofMissingMessage(challengeName(host), releasedAt(since)) }
    : proven;
  const next = schedule(Host, missing ? timestampAfter(now, GRACE_CHECK_INTERVAL_MS) : nextVerification(now));
  const hostChange = {
    ...(missing ? { set: { ...next, unprovenSince: since } } : { set: next, remove: ['unprovenSince'] }),
    when: isStillHeld,
  };
  const isSameClaim = { 'customDomain.token': { is: customDomain.token }, 'customDomain.status': { is: 'VERIFIED' } };
  await deps.table.transact([
    change(Host, { host }, hostChange, concurrentUpdate),
    change(
      App,
      app,
      { set: { customDomain: shown }, when: { ...isSameClaim, status: { isNot: 'DELETING' } } },
      concurrentUpdate,
    ),
  ]);
}

/** Verified domains whose ownership is due for verification. */
export const ownershipQueue: DueQueue<typeof Host, OwnershipDeps> = {
  queue: 'OWNERSHIP',
  entity: Host,
  // A check mostly waits for name servers.
  concurrency: 20,
  readsAccounts: true,
  act: async (deps, held) => {
    await ignoreConflict(verifyAgain(deps, held));
  },
};

/** Schedules the verifications of a domain that was verified before repeated verification existed. May be repeated. */
export async function startVerifications(
  deps: Pick<Deps, 'table' | 'now'>,
  { host, applicationId, since }: { host: string; applicationId: string; since: string },
): Promise<void> {
  const set = { verifiedAt: since, ...verifiedHostsNear(host), ...schedule(Host, deps.now()) };
  const update = { set, when: { applicationId: { is: applicationId }, releasing: 'absent', dueAt: 'absent' } } as const;
  await tryChange(deps, Host, { host }, update);
}
