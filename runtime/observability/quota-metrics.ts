import type { CertificateCleanup } from '../../domain/custom-domains/unused-certificates.ts';
import type { MeasuredQuota, QuotaReport } from '../../domain/operator/quotas.ts';
import { log, metrics } from './log.ts';

/** Percentage from which a quota has a line of its own. */
const LOGGED_FROM = 70;

/**
 * Measures how full the fullest quota of AWS is, and how many could not be measured for hours; alarms read both
 * (lib/stacks/measured-alarms.ts). Each measurement logs the quotas that are nearly used.
 * @returns all quotas, for operators who invoke the function
 */
export function reportQuotas({ quotas, isNew, failures }: QuotaReport): MeasuredQuota[] {
  for (const { error, ...about } of failures) log.error('quota could not be measured', error, about);
  const percents = quotas.flatMap(({ percent }) => percent ?? []);
  for (const { percent, ...about } of isNew ? quotas : [])
    if (percent !== undefined && percent >= LOGGED_FROM)
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

/** Logs the deletion of certificates that nothing uses: a line for each cell that had some, and one for each where it failed. */
export function reportCleanups(cleanups: readonly CertificateCleanup[]): void {
  for (const { error, ...counts } of cleanups) {
    if (error !== undefined) log.error('unused certificates could not be deleted', error, counts);
    if (counts.unused > 0) log.info('unused certificates', counts);
  }
}
