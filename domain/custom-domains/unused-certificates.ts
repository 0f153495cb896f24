import { type InCell, listReachableCells } from '../apps/cells.ts';
import type { Deps } from '../deps.ts';
import type { Budget } from '../sweep/budget.ts';
import { DAY_MS, HOUR_MS, timestampBefore } from '../time.ts';

/**
 * Deletion of certificates that tenants left behind (docs/decisions/0085-unused-certificates.md): ACM keeps those of removed domains
 * and of requests that failed, and an account may have 2,500.
 */

/** Age at which a certificate that nothing uses may be deleted, in milliseconds: ACM gives up a validation after three days. */
const UNUSED_AFTER_MS = 7 * DAY_MS;
/**
 * Certificates of a cell that one run looks at, one after another: three calls each, so that deletions stay below the ten a
 * second that ACM allows.
 */
const MAX_IN_RUN = 100;

/** Result of one run for the unused certificates of one cell, for the log. */
export interface CertificateCleanup {
  cellId: string;
  /** Certificates that nothing used when they were listed. */
  unused: number;
  deleted: number;
  /** Certificates that could not be deleted or looked at. */
  failed: number;
  /** The first failure; of a cell that could not be listed, the only one. */
  error?: unknown;
}

type CleanupDeps = Pick<Deps, 'table' | 'now'> & InCell<'edgeCertificates'>;

/** Multiples of the golden ratio, without their whole part, spread evenly however many there are. */
const GOLDEN_RATIO = 1.618033988749895;

/**
 * Returns the part of a list that is this hour's turn. Each hour begins elsewhere, also in a short list: a run whose time ends early looks
 * at the first ones alone, and certificates that stay would hide others for ever.
 */
function turnOf<T>(all: readonly T[], now: Date): T[] {
  const hour = Math.floor(now.getTime() / HOUR_MS);
  const from = Math.floor(((hour * GOLDEN_RATIO) % 1) * all.length);
  return [...all.slice(from), ...all.slice(0, from)].slice(0, MAX_IN_RUN);
}

async function cleanCell(deps: CleanupDeps, cellId: string, budget: Budget): Promise<CertificateCleanup> {
  const { edgeCertificates } = await deps.cellOf({ cellId });
  const unused = await edgeCertificates.listUnused(new Date(timestampBefore(deps.now(), UNUSED_AFTER_MS)));
  const cleanup: CertificateCleanup = { cellId, unused: unused.length, deleted: 0, failed: 0 };
  for (const certificate of turnOf(unused, deps.now())) {
    if (budget.isSpent()) break;
    try {
      // ACM refuses to delete one in use; only CloudFront knows which one a tenant waits for.
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
 * Deletes the certificates that CloudFront requested for custom domains, that are older than a week, that nothing uses, and that no
 * tenant waits for. Bounded by a number and by time; the next run continues. Cells and certificates that fail hide no others.
 */
export async function deleteUnusedCertificates(deps: CleanupDeps, budget: Budget): Promise<CertificateCleanup[]> {
  const cleanups: CertificateCleanup[] = [];
  const cells = await listReachableCells(deps);
  for (const [at, { id: cellId }] of cells.entries()) {
    try {
      cleanups.push(await cleanCell(deps, cellId, budget.share(cells.length - at)));
    } catch (error) {
      cleanups.push({ cellId, unused: 0, deleted: 0, failed: 0, error });
    }
  }
  return cleanups;
}
