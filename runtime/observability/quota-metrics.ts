import type { CertificateCleanup } from '../../domain/custom-domains/unused-certificates.ts';
import type { MeasuredQuota, QuotaReport } from '../../domain/operator/quotas.ts';
import { log, metrics } from './log.ts';

/** The percentage from which a quota has its own log line. */
const MIN_LOGGED_PERCENT = 70;

/**
 * Records the use of the fullest AWS quota, and the number of quotas that could not be measured for hours, for alarms
 * (lib/stacks/measured-alarms.ts). After each measurement, logs the quotas that are nearly used up.
 * @returns all quotas, for operators who invoke the function
 */
export function reportQuotas({ quotas, isNew, failures }: QuotaReport): MeasuredQuota[] {
  for (const { error, ...about } of failures) log.error('quota could not be measured', error, about);
  const percents = quotas.flatMap(({ percent }) => percent ?? []);
  for (const { percent, ...about } of isNew ? quotas : [])
    if (percent !== undefined && percent >= MIN_LOGGED_PERCENT)
      log.warn('quota nearly used', { ...about, percent: Math.round(percent) });
  const missing = quotas.filter(({ percent }) => percent === undefined);
  if (missing.length > 0)
    log.warn('quotas unmeasured', {
      quotas: missing.map(({ quota, cellId }) => `${quota} (${cellId})`),
      ...metrics({}, { QuotasUnmeasured: [missing.length, 'Count'] }),
    });
  if (percents.length > 0) log.info('quotas', metrics({}, { QuotaUse: [Math.max(...percents), 'Percent'] }));
  return quotas;
}

/** Logs the deletion of unused certificates: one line for each cell that had any, and one for each failure. */
export function reportCleanups(cleanups: readonly CertificateCleanup[]): void {
  for (const { error, ...counts } of cleanups) {
    if (error !== undefined) log.error('unused certificates could not be deleted', error, counts);
    if (counts.unused > 0) log.info('unused certificates', counts);
  }
}
