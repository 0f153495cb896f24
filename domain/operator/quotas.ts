import type { QuotaMeasure } from '../../providers/quotas/measures.ts';
import { Quotas } from '../../table/entities/quotas.ts';
import { upsert } from '../../table/writes.ts';
import { HOME_CELL, type InCell, listReachableCells } from '../apps/cells.ts';
import type { Deps } from '../deps.ts';
import { millisecondsBetween } from '../time.ts';

/**
 * The platform's use of the AWS quotas that limit its growth, in its own account and in the accounts of its cells
 * (docs/decisions/0068-quotas.md).
 */

/** Interval of measurements in milliseconds. Use grows slowly, and CloudFront charges for each request to a key-value store. */
const MEASURE_INTERVAL_MS = 3_600_000;
/** Age in milliseconds at which a measured value is too old to be reported. */
const MAX_AGE_MS = 3 * MEASURE_INTERVAL_MS;

type Stored = Quotas['uses'][number];

/** A quota of one cell with its last value. */
export interface MeasuredQuota extends Stored {
  /** Undefined if there is no recent value. */
  percent: number | undefined;
}

export interface QuotaReport {
  quotas: MeasuredQuota[];
  /** True if this run measured. */
  isNew: boolean;
  /** Failures of this run. */
  failures: { quota: string; cellId: string; error: unknown }[];
}

type QuotaDeps = Pick<Deps, 'table' | 'now'> & InCell<'quotaMeasures'>;
type Outcome = Stored | { quota: string; cellId: string; error: unknown };

/** Measures a quota. Resolves with the error if this fails. */
async function tryMeasure(
  { quota, region, measure }: QuotaMeasure,
  origin: { cellId: string; measuredAt: string },
): Promise<Outcome> {
  try {
    return { quota, region, ...origin, ...(await measure()) };
  } catch (error) {
    return { quota, cellId: origin.cellId, error };
  }
}

/** Measures the quotas of all cells. A failing measurement does not affect the others, and its quota keeps the last value. */
async function measureAll(deps: QuotaDeps, account: readonly QuotaMeasure[], known: readonly Stored[], now: Date) {
  const measuredAt = now.toISOString();
  const failures: QuotaReport['failures'] = [];
  const uses: Stored[] = [];
  for (const { id: cellId, open } of await listReachableCells(deps)) {
    const cellMeasures = await deps.cellOf({ cellId }).then(
      ({ quotaMeasures }) => quotaMeasures,
      (error: unknown) => error,
    );
    const lastUse = (quota: string) => known.find((each) => each.quota === quota && each.cellId === cellId);
    if (!Array.isArray(cellMeasures)) {
      failures.push({ quota: 'all of the cell', cellId, error: cellMeasures });
      const lastUses = known.filter((each) => each.cellId === cellId);
      uses.push(...(lastUses.length > 0 ? lastUses : [{ quota: 'all of the cell', cellId, region: 'unknown' }]));
      continue;
    }
    const all: QuotaMeasure[] = [...(cellId === HOME_CELL ? account : []), ...cellMeasures];
    // A closed cell accepts no new applications, so its Lambda concurrency needs no attention.
    const measures = all.filter(({ quota }) => open || quota !== 'lambdaConcurrency');
    const outcomes = await Promise.all(measures.map((each) => tryMeasure(each, { cellId, measuredAt })));
    for (const [index, outcome] of outcomes.entries()) {
      if (!('error' in outcome)) uses.push(outcome);
      else {
        failures.push(outcome);
        uses.push(
          lastUse(outcome.quota) ?? { quota: outcome.quota, cellId, region: measures[index]?.region ?? 'unknown' },
        );
      }
    }
  }
  await deps.table.transact([upsert(Quotas, {}, { set: { attemptedAt: measuredAt, uses } })]);
  return { uses, failures };
}

/**
 * Returns the use of all quotas. It runs every minute, because alarms need frequent values, but measures only once an hour.
 * @param account the measures of the platform's own account, in addition to the measures of the cells
 */
export async function measureQuotas(deps: QuotaDeps, account: readonly QuotaMeasure[]): Promise<QuotaReport> {
  const now = deps.now();
  const known = await deps.table.get(Quotas, {});
  const isNew = !known || millisecondsBetween(now, known.attemptedAt) >= MEASURE_INTERVAL_MS;
  const { uses, failures } = isNew
    ? await measureAll(deps, account, known?.uses ?? [], now)
    : { uses: known.uses, failures: [] };
  const percentOf = ({ used, limit, measuredAt }: Stored): number | undefined => {
    if (used === undefined || limit === undefined || measuredAt === undefined) return undefined;
    if (millisecondsBetween(now, measuredAt) > MAX_AGE_MS) return undefined;
    return limit > 0 ? (used / limit) * 100 : 100;
  };
  return { quotas: uses.map((use) => ({ ...use, percent: percentOf(use) })), isNew, failures };
}
