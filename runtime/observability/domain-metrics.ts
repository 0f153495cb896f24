import type { ZoneSyncResult } from '../../domain/dns/sync.ts';
import type { DomainIds } from '../../domain/registrar/tasks.ts';
import { log, metrics } from './log.ts';

/** Logs and counts the tasks that the registrar refused, by kind. */
export function reportRefusal(ids: DomainIds, kind: 'REGISTER' | 'RENEW' | undefined): void {
  if (kind === undefined) return;
  log.warn('domain task refused by the registrar', {
    ...ids,
    ...metrics({ task: kind }, { DomainTasksRefused: [1, 'Count'] }),
  });
}

/** Logs and counts a zone whose records the name servers did not take. @returns log fields about the sync */
export function reportZoneSync(ids: DomainIds, { changed, problem }: ZoneSyncResult): Record<string, unknown> {
  if (problem) {
    const { failures, error } = problem;
    log.error('zone sync failed', error, { ...ids, failures, ...metrics({}, { ZoneSyncFailures: [1, 'Count'] }) });
  }
  return { ...ids, changed };
}
