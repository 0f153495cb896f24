import { type InCell, listReachableCells } from '../apps/cells.ts';
import type { Deps } from '../deps.ts';
import type { Budget } from '../sweep/budget.ts';
import { DAY_MS, HOUR_MS, timestampBefore } from '../time.ts';

/**
 * Deletion of certificates that tenants left behind (docs/decisions/0085-unused-certificates.md). ACM keeps the certificates of
 * removed domains and of failed requests, and its quota is 2,500 per AWS account.
 */

/** Age at which an unused certificate may be deleted, in milliseconds: ACM gives up a validation after three days. */
const UNUSED_AFTER_MS = 7 * DAY_MS;
/**
 * Certificates of a cell that one run checks, one after another with three calls each. This keeps deletions below ACM's limit of
 * ten a second.
 */
const MAX_IN_RUN = 100;

/** Result of one run in one cell, for the log. */
export interface CertificateCleanup {
  cellId: string;
  /** Certificates that were unused when they were listed. */
  unused: number;
  deleted: number;
  /** Certificates that could not be checked or deleted. */
  failed: number;
  /** The first failure, or the reason why the cell's certificates could not be listed. */
  error?: unknown;
}

type CleanupDeps = Pick<Deps, 'table' | 'now'> & InCell<'edgeCertificates'>;

/** The fractional parts of its multiples are spread evenly, whatever their number. */
const GOLDEN_RATIO = 1.618033988749895;

/**
 * Returns the part of a list to check in this hour. Each hour starts at another position, even in a short list: a run that spends its
 * budget early checks only the first ones, and certificates that cannot be deleted would otherwise block others permanently.
 */
function sliceFor<T>(all: readonly T[], now: Date): T[] {
  const hour = Math.floor(now.getTime() / HOUR_MS);
  const start = Math.floor(((hour * GOLDEN_RATIO) % 1) * all.length);
  return [...all.slice(start), ...all.slice(0, start)].slice(0, MAX_IN_RUN);
}

async function cleanCell(deps: CleanupDeps, cellId: string, budget: Budget): Promise<CertificateCleanup> {
  const { edgeCertificates } = await deps.cellOf({ cellId });
  const unused = await edgeCertificates.listUnused(new Date(timestampBefore(deps.now(), UNUSED_AFTER_MS)));
  const cleanup: CertificateCleanup = { cellId, unused: unused.length, deleted: 0, failed: 0 };
  for (const certificate of sliceFor(unused, deps.now())) {
    if (budget.isSpent()) break;
    try {
      // ACM refuses to delete a certificate in use. But only CloudFront knows that a tenant waits for one.
      if (await edgeCertificates.isAwaited(certificate)) continue;
      if (await edgeCertificates.delete(certificate.arn)) cleanup.deleted += 1;
    } catch (error) {
      cleanup.failed += 1;
      cleanup.error ??= error;
    }
  }
  return cleanup;
}

/**
 * Deletes certificates that CloudFront requested for custom domains, if they are older than a week and unused, and no tenant waits for
 * them. A run is bounded in number and time; the next one continues. A failing cell or certificate does not block others.
 */
export async function deleteUnusedCertificates(deps: CleanupDeps, budget: Budget): Promise<CertificateCleanup[]> {
  const cleanups: CertificateCleanup[] = [];
  const cells = await listReachableCells(deps);
  for (const [index, { id: cellId }] of cells.entries()) {
    try {
      cleanups.push(await cleanCell(deps, cellId, budget.share(cells.length - index)));
    } catch (error) {
      cleanups.push({ cellId, unused: 0, deleted: 0, failed: 0, error });
    }
  }
  return cleanups;
}
