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
