import type { DomainIds } from '../domain/registrar/tasks.ts';
import { log, metrics } from './observability/log.ts';

/** Logs and counts what a registrar refused, by what it was asked. */
export function reportRefusal(ids: DomainIds, kind: 'REGISTER' | 'RENEW' | undefined): void {
  if (kind === undefined) return;
  log.warn('the registrar refused', { ...ids, ...metrics({ task: kind }, { DomainTasksRefused: [1, 'Count'] }) });
}
