import { ApiError } from '../../contract/errors.ts';
import { BY_OPERATOR, committing } from '../../domain/audit/record.ts';
import { moveApp as requestMove } from '../../domain/operator/moves.ts';
import { deps } from '../../runtime/deps.ts';
import { GitAccess } from '../../table/entities/apps.ts';

/** Moves an application to another hosting cell, as `POST /operator/v1/accounts/{id}/apps/{applicationId}/move` does. */
export async function moveApp({ id: applicationId, cell, reason }: { id: string; cell: string; reason: string }) {
  // The key of an application does not contain the account.
  const access = await deps.table.get(GitAccess, { applicationId });
  if (!access) throw new ApiError('not_found', 'Application not found.');
  const operator = { ...deps, commit: committing(deps, { ...BY_OPERATOR, reason }) };
  return await requestMove(
    operator,
    { accountId: '', keyId: '' },
    { id: access.accountId, applicationId, cell, reason },
  );
}
