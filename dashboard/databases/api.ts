import {
  createDatabase,
  createDatabasePassword,
  deleteDatabase,
  getDatabase,
  listDatabases,
  resetDatabasePasswords,
} from '../../contract/databases/databases.ts';
import type { Output } from '../../contract/route.ts';
import { useApiList } from '../api/use-api-list.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';
import { useApiQuery } from '../api/use-api-query.ts';

export type Database = Output<typeof listDatabases>['data'][number];

const ACTIVE_POLL_MS = 3000;
const isChanging = ({ status }: Database) => status === 'PROVISIONING' || status === 'DELETING';

/** Lists all databases of the account, and polls while one is being created or deleted. The API has no list per application. */
export const useDatabases = () =>
  useApiList(
    listDatabases,
    {},
    {
      allPages: true,
      pollInterval: (databases) => (databases.some(isChanging) ? ACTIVE_POLL_MS : false),
    },
  );
/** Reads one database with its size. */
export const useDatabase = (id: string) => useApiQuery(getDatabase, { params: { id } });
export const useCreateDatabase = () => useApiMutation(createDatabase, [listDatabases]);
export const useCreatePassword = () => useApiMutation(createDatabasePassword);
export const useResetPasswords = () => useApiMutation(resetDatabasePasswords);
export const useDeleteDatabase = () => useApiMutation(deleteDatabase, [listDatabases]);
