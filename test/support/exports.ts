import { listExports } from '../../contract/accounts/export.ts';
import type { Output } from '../../contract/route.ts';
import { invokeFunction } from './functions.ts';
import { local, type OpenedAccount, waitFor } from './harness.ts';

/** Waits until an export is made, without waiting for the schedule. */
export async function finishedExport(
  { dashboard }: Pick<OpenedAccount, 'dashboard'>,
  id: string,
): Promise<Output<typeof listExports>['data'][number]> {
  return await waitFor(async () => {
    await invokeFunction(local, 'schedule-serveAccounts');
    const { data } = (await dashboard.call(listExports)).body;
    return data.find((each) => each.id === id && each.finishedAt !== null);
  }, 1000);
}
