import type { ZoneResult } from '../../domain/dns/release.ts';
import type { Unconfirmed } from '../../domain/registrar/confirmation.ts';
import type { DomainIds } from '../../domain/registrar/tasks.ts';
import type { SweepReport } from '../../domain/sweep/sweep.ts';
import { log, metrics } from './log.ts';

/** Logs and counts a task that the registrar refused, by kind. */
export function reportRefusal(ids: DomainIds, kind: 'REGISTER' | 'RENEW' | undefined): void {
  if (kind === undefined) return;
  log.warn('domain task refused by the registrar', {
    ...ids,
    ...metrics({ task: kind }, { DomainTasksRefused: [1, 'Count'] }),
  });
}

/** Logs and counts a zone that could not be written or deleted at the name servers. @returns log fields of the sync or the check */
export function reportZoneSync(ids: DomainIds, { problem, unknown, ...done }: ZoneResult): Record<string, unknown> {
  if (problem) {
    const { failures, error } = problem;
    log.error('zone sync failed', error, { ...ids, failures, ...metrics({}, { ZoneSyncFailures: [1, 'Count'] }) });
  }
  if (unknown) log.warn('delegation unknown', { ...ids, reason: String(unknown) });
  return { ...ids, ...done };
}

/** Logs and counts the domains that the registrar did not confirm: it denied them or their name servers, or did not respond. */
export function reportUnconfirmed({ results }: SweepReport<Unconfirmed>): void {
  for (const { outcome, error, ...about } of results) {
    // Wrong name servers are counted like an absent domain: a separate metric would cost more without telling more.
    const countedAs = outcome === 'MISDELEGATED' ? 'ABSENT' : outcome;
    const count = metrics({ outcome: countedAs }, { DomainsUnconfirmed: [1, 'Count'] });
    if (outcome === 'UNKNOWN') log.error('registrar did not answer about a domain', error, { ...about, ...count });
    else if (outcome === 'MISDELEGATED') log.warn('registry has other name servers', { ...about, ...count });
    else log.warn('domain no longer at the registrar', { ...about, ended: outcome === 'ENDED', ...count });
  }
}
