import { createDatabase, listDatabases } from '../../contract/databases/databases.ts';
import type { Output } from '../../contract/route.ts';
import { useApiList } from '../api/use-api-list.ts';
import { useApiMutation } from '../api/use-api-mutation.ts';

export type Database = Output<typeof listDatabases>['data'][number];

const ACTIVE_POLL_MS = 3000;

/** Lists all databases of the account, and polls while one is being created. The API has no list per application. */
export const useDatabases = () =>
  useApiList(
    listDatabases,
    {},
    {
      allPages: true,
      pollInterval: (databases) => (databases.some(({ status }) => status === 'PROVISIONING') ? ACTIVE_POLL_MS : false),
    },
  );
export const useCreateDatabase = () => useApiMutation(createDatabase, [listDatabases]);
