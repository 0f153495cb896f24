import { listOperatorAudit, readAccount, searchAccounts } from '../../contract/operator/accounts.ts';
import {
  adjustMoney,
  cancelDeployment,
  changeLimits,
  resendForCustomer,
  setSuspension,
} from '../../contract/operator/actions.ts';
import { listCells, moveApp } from '../../contract/operator/cells.ts';
import { discardFailures, listFailures, readFailures, replayFailures } from '../../contract/operator/failures.ts';
import { listFlags, setFlag } from '../../contract/operator/flags.ts';
import { listMigrations } from '../../contract/operator/migrations.ts';
import { listSwitches, setSwitch } from '../../contract/operator/switches.ts';
import type { Input, Output } from '../../contract/route.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { useApiQuery } from '../api/use-api-query.ts';

export type AccountPage = Output<typeof readAccount>['data'];
export type PlatformSwitch = Output<typeof listSwitches>['data'][number];
export type FeatureFlag = Output<typeof listFlags>['data'][number];
export type MigrationProgress = Output<typeof listMigrations>['data'][number];
export type Failures = Output<typeof listFailures>['data'][number];
export type OperatorEntry = Output<typeof listOperatorAudit>['data'][number];
/** An application, key or endpoint; empty for the account itself. */
export type SuspensionTarget = Partial<Pick<Input<typeof setSuspension>, 'applicationId' | 'keyId' | 'endpointId'>>;

export const LOG_PAGE_SIZE = 50;
/** Every search for accounts and every read of one is logged, so they are repeated only after an action. */
const NEVER_STALE = { staleTime: Number.POSITIVE_INFINITY };

/** Searches for accounts, unless the query is empty. */
export const useSearch = (query: string) =>
  useApiQuery(searchAccounts, { body: { query } }, { ...NEVER_STALE, enabled: query !== '' });
export const useAccount = (id: string) => useApiQuery(readAccount, { params: { id } }, NEVER_STALE);
export const useSuspend = () => useApiMutation(setSuspension, [readAccount, searchAccounts]);
export const useCancelDeployment = () => useApiMutation(cancelDeployment, [readAccount]);
export const useCells = () => useApiQuery(listCells);
export const useMoveApp = () => useApiMutation(moveApp, [readAccount]);
export const useChangeLimits = () => useApiMutation(changeLimits, [readAccount]);
export const useAdjust = () => useApiMutation(adjustMoney, [readAccount]);
export const useResend = () => useApiMutation(resendForCustomer, [readAccount]);
export const useSwitches = () => useApiQuery(listSwitches);
export const useSetSwitch = () => useApiMutation(setSwitch, [listSwitches]);
export const useFlags = () => useApiQuery(listFlags);
export const useSetFlag = () => useApiMutation(setFlag, [listFlags]);
export const useMigrations = () => useApiQuery(listMigrations);
export const useFailures = () => useApiQuery(listFailures);
export const useFailedWork = (name: Failures['name']) => useApiQuery(readFailures, { params: { name } });
export const useReplay = () => useApiMutation(replayFailures, [listFailures, readFailures]);
export const useDiscard = () => useApiMutation(discardFailures, [listFailures, readFailures]);

/** Reads one page of the operators' audit log, or of one account's changes. */
export const useOperatorLog = (offset: number, accountId?: string) =>
  useApiQuery(
    listOperatorAudit,
    { query: { limit: String(LOG_PAGE_SIZE), offset: String(offset), ...(accountId ? { accountId } : {}) } },
    { placeholderData: (before) => before },
  );
