import type { MigrationReport } from '../../domain/processes/migrate.ts';
import { log, metrics } from './log.ts';

/** Logs and measures the migrations that are not done: items that could not be changed keep `MigrationFailures` above zero. */
export function reportMigrations(report: MigrationReport): MigrationReport {
  for (const { name, status, scanned, changed, failed, failures } of report.runs) {
    if (status === 'DONE') continue;
    log.info('migration under way', { migration: name, status, scanned, changed, failed, failures });
    if (failed > 0) log.info('migration failures', metrics({}, { MigrationFailures: [failed, 'Count'] }));
  }
  return report;
}
