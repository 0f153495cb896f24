import { exportQueue } from '../../domain/processes/account-data/exports.ts';
import { deletionQueue } from '../../domain/processes/account-data/run-deletion.ts';
import { sweepJob } from '../../domain/sweep/sweep-all.ts';
import { exports } from '../../runtime/bindings/exports.ts';
import { seller } from '../../runtime/bindings/seller.ts';
import { users } from '../../runtime/bindings/users.ts';
import { deps } from '../../runtime/deps.ts';
import { sweeper } from '../../runtime/triggers/sweeper.ts';

/** Every minute: continues the requested exports and deletions of accounts. */
export const handler = sweeper({
  exports: sweepJob({ ...deps, exports, seller }, exportQueue),
  deletions: sweepJob({ ...deps, users }, deletionQueue),
});
