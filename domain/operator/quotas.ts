import type { QuotaMeasure } from '../../providers/quotas/measures.ts';
import { Quotas } from '../../table/entities/quotas.ts';
import { upsert } from '../../table/writes.ts';
import { HOME_CELL, type InCell, listReachableCells } from '../apps/cells.ts';
import type { Deps } from '../deps.ts';
import { millisecondsBetween } from '../time.ts';

/**
 * The platform's use of AWS's quotas that end its growth (docs/decisions/0068-quotas.md): in its own
 * account, and in those of its cells.
 */

/** Time between two measurements in milliseconds: use grows by the day, and CloudFront charges for each request to a store. */
const MEASURED_EVERY_MS = 3_600_000;
/** Time after which the value of a quota that could not be measured since says nothing any more. */
const MISSING_AFTER_MS = 3 * MEASURED_EVERY_MS;

type Stored = Quotas['uses'][number];

/** A quota of one cell with its last value. */
export interface MeasuredQuota extends Stored {
  /** Undefined while there is no value, or none of the last hours. */
  percent: number | undefined;
}

export interface QuotaReport {
  quotas: MeasuredQuota[];
  /** True where this run measured. */
  isNew: boolean;
  /** Failures of this run. */
  failures: { quota: string; cellId: string; error: unknown }[];
}

type QuotaDeps = Pick<Deps, 'table' | 'now'> & InCell<'quotaMeasures'>;
type Outcome = Stored | { quota: string; cellId: string; error: unknown };

/** Measures a quota; where that fails its last value stays. */
async function attempt(
  { quota, region, measure }: QuotaMeasure,
  place: { cellId: string; measuredAt: string },
): Promise<Outcome> {
  try {
    return { quota, region, ...place, ...(await measure()) };
  } catch (error) {
    return { quota, cellId: place.cellId, error };
  }
}

/** Measures the quotas of all cells, each for itself: none that fails hides another. */
async function measureAll(deps: QuotaDeps, account: readonly QuotaMeasure[], known: readonly Stored[], now: Date) {
  const measuredAt = now.toISOString();
  const failures: QuotaReport['failures'] = [];
  const uses: Stored[] = [];
  for (const { id: cellId, open } of await listReachableCells(deps)) {
    const there = await deps.cellOf({ cellId }).then(
      ({ quotaMeasures }) => quotaMeasures,
      (error: unknown) => error,
    );
    const earlier = (quota: string) => known.find((each) => each.quota === quota && each.cellId === cellId);
    if (!Array.isArray(there)) {
      failures.push({ quota: 'all of the cell', cellId, error: there });
      const left = known.filter((each) => each.cellId === cellId);
      uses.push(...(left.length > 0 ? left : [{ quota: 'all of the cell', cellId, region: 'unknown' }]));
      continue;
    }
    const all: QuotaMeasure[] = [...(cellId === HOME_CELL ? account : []), ...there];
    // A closed cell stays as full as it is, which needs no operator.
    const measures = all.filter(({ quota }) => open || quota !== 'lambdaConcurrency');
    const outcomes = await Promise.all(measures.map((each) => attempt(each, { cellId, measuredAt })));
    for (const [index, outcome] of outcomes.entries()) {
      if (!('error' in outcome)) uses.push(outcome);
      else {
        failures.push(outcome);
        uses.push(
          earlier(outcome.quota) ?? { quota: outcome.quota, cellId, region: measures[index]?.region ?? 'unknown' },
        );
      }
    }
  }
  await deps.table.transact([upsert(Quotas, {}, { set: { attemptedAt: measuredAt, uses } })]);
  return { uses, failures };
}

/**
 * Returns the use of all quotas, measured at most once an hour: alarms need a value every few minutes, so it is called every
 * minute.
 * @param account the measures of the platform's own account, beside those of its cells
 */
export async function measureQuotas(deps: QuotaDeps, account: readonly QuotaMeasure[]): Promise<QuotaReport> {
  const now = deps.now();
  const known = await deps.table.get(Quotas, {});
  const isNew = !known || millisecondsBetween(now, known.attemptedAt) >= MEASURED_EVERY_MS;
  const { uses, failures } = isNew
    ? await measureAll(deps, account, known?.uses ?? [], now)
    : { uses: known.uses, failures: [] };
  const percentOf = ({ used, limit, measuredAt }: Stored): number | undefined => {
    if (used === undefined || limit === undefined || measuredAt === undefined) return undefined;
    if (millisecondsBetween(now, measuredAt) > MISSING_AFTER_MS) return undefined;
    return limit > 0 ? (used / limit) * 100 : 100;
  };
  return { quotas: uses.map((use) => ({ ...use, percent: percentOf(use) })), isNew, failures };
}
