import { PASSWORD_SECONDS } from '../../contract/databases/databases.ts';
import type { Job } from '../../providers/builds/builds.ts';
import type { DatabasePasswords } from '../../providers/databases/passwords.ts';
import { Database, databasesOf } from '../../table/entities/databases.ts';
import type { Deps } from '../deps.ts';

/**
 * Returns the databases that a build and its release receive: the available databases of an application, oldest first, and the names of
 * those that are still being created. The application's commands connect with passwords that are valid for an hour, which is longer than a
 * build waits and runs. A database that applications may not open at the moment has none. A reset revokes them, as it revokes the owner's.
 * @param deploymentId names the passwords' sessions in the AWS account's audit trail
 */
export async function jobDatabases(
  deps: Deps & { databasePasswords: DatabasePasswords },
  applicationId: string,
  deploymentId: string,
): Promise<Pick<Job, 'databases' | 'databasePasswords' | 'pendingDatabases'>> {
  const all = (await deps.table.all(Database, databasesOf(applicationId))).sort((a, b) => (a.id < b.id ? -1 : 1));
  const available = all.flatMap(({ host, status, ...database }) =>
    host === null || status !== 'AVAILABLE' ? [] : [{ ...database, host }],
  );
  const session = { name: deploymentId, seconds: PASSWORD_SECONDS };
  const passwords = await Promise.all(
    available.flatMap(({ prefix, host, region, clusterId, generation = 0, access = 'ALL' }) =>
      clusterId === undefined || access !== 'ALL'
        ? []
        : deps.databasePasswords
            .create({ clusterId, host, region, generation }, session)
            .then((password) => [prefix, password] as const),
    ),
  );
  const pendingDatabases = all.filter(({ status }) => status === 'PROVISIONING').map(({ name }) => name);
  return {
    databases: available.map(({ prefix, host, port, region }) => ({ prefix, host, ...(port ? { port } : {}), region })),
    ...(passwords.length > 0 && { databasePasswords: Object.fromEntries(passwords) }),
    ...(pendingDatabases.length > 0 && { pendingDatabases }),
  };
}
