import type { MigrationReport } from '../../domain/processes/migrate.ts';
import { log, metrics } from './log.ts';

/** Logs the unfinished migrations, and counts the items that could not be changed, which keep `MigrationFailures` above zero. */
export function reportMigrations(report: MigrationReport): MigrationReport {
  for (const { name, status, scanned, changed, failed, failures } of report.runs) {
    if (status === 'DONE') continue;
    log.info('migration in progress', { migration: name, status, scanned, changed, failed, failures });
    if (failed > 0) log.info('migration failures', metrics({}, { MigrationFailures: [failed, 'Count'] }));
  }
  return report;
}
