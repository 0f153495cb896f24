import { ApiError } from '../../contract/errors.ts';
import type { updateDomain as UpdateRoute } from '../../contract/registrar/renewal.ts';
import type { Input, Output } from '../../contract/route.ts';
import { Domain } from '../../table/entities/registrar.ts';
import { unchanged } from '../../table/expressions.ts';
import { change } from '../../table/writes.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { voidRenewal } from './confirmation.ts';
import { findDomain, viewDomain } from './domains.ts';
import { lifecycleTimes, scheduleCheck } from './schedule.ts';
import type { ReadTlds } from './tlds.ts';

const renewing = () => new ApiError('conflict', 'The domain is being renewed. Try again when that is done.');

/** Voids the invoice for the next term. Throws 409 if it was paid. */
async function dropRenewal(deps: Deps, domain: Domain): Promise<void> {
  if (!(await voidRenewal(deps, domain))) throw renewing();
}

/** Throws 409 for a domain whose next term can no longer be invoiced: it would be shown as renewing, but expire. */
async function assertRenewable(deps: Deps & { tlds: ReadTlds }, domain: Domain): Promise<void> {
  const { lastPaid } = lifecycleTimes(domain);
  if (lastPaid !== undefined && lastPaid <= deps.now().toISOString())
    throw new ApiError(
      'conflict',
      'It is too late to renew this domain: its renewal had to be paid two days before it expires.',
    );
  if (!(await deps.tlds()).some(({ tld }) => tld === domain.tld))
    throw new ApiError('conflict', `Domains under .${domain.tld} are no longer sold, so this one cannot be renewed.`);
}

/**
 * PATCH /dashboard/v1/domains/{id}: switches the automatic renewal. With it, the next term is invoiced 30 days before the current one ends, or
 * immediately if that time has passed. Throws 404, and 409 for a domain that is not registered, is being renewed, or can no longer be renewed.
 */
export async function updateDomain(
  deps: Deps & { tlds: ReadTlds },
  { accountId }: Caller,
  { id, autoRenew }: Input<typeof UpdateRoute>,
): Promise<Output<typeof UpdateRoute>> {
  const updateOnce = async (): Promise<Output<typeof UpdateRoute>> => {
    const domain = await findDomain(deps, { accountId }, id);
    if (domain.status !== 'ACTIVE') throw new ApiError('conflict', 'This domain is not registered.');
    if (domain.autoRenew === autoRenew) return { data: viewDomain(domain) };
    if (domain.task || domain.renewal?.paid) throw renewing();
    await (autoRenew ? assertRenewable(deps, domain) : dropRenewal(deps, domain));
    const { renewal, ...withoutRenewal } = domain;
    const after: Domain = { ...withoutRenewal, autoRenew };
    const update = {
      set: { autoRenew, ...scheduleCheck(after, deps.now()) },
      remove: ['renewal'],
      when: {
        status: { is: 'ACTIVE' },
        autoRenew: { is: domain.autoRenew },
        task: 'absent',
        'renewal.paid': 'absent',
        'renewal.invoiceId': unchanged(renewal?.invoiceId),
      },
    } as const;
    return await deps.commit(
      [change(Domain, { accountId, id }, update, concurrentUpdate)],
      { data: viewDomain(after) },
      { before: viewDomain(domain), after: viewDomain(after) },
    );
  };
  return await retryRequest(updateOnce);
}
