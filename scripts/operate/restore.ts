import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { config, required } from '../../runtime/config.ts';
import type { ItemKey } from '../../table/table.ts';
import { renewCredentials } from './credentials.ts';
import { restoreTable } from './restore-table.ts';

/** The message that customers see while the restored table is checked. */
const NOTICE =
  'We are restoring data. Nothing can be changed at the moment; applications and their addresses keep working.';

/** Creates the dependencies. Imports their modules here, because they read their settings from the environment when they are imported. */
async function openDeps(reason: string, tableName?: string) {
  const [{ callAws }, { deps }, { createTable }, { BY_OPERATOR, committing }] = await Promise.all([
    import('../../runtime/aws/client.ts'),
    import('../../runtime/deps.ts'),
    import('../../table/table.ts'),
    import('../../domain/audit/record.ts'),
  ]);
  const table = tableName
    ? createTable((operation, input, policy) => callAws('dynamodb', operation, input, policy), tableName)
    : deps.table;
  const withTable = { ...deps, table };
  return { ...withTable, commit: committing(withTable, { ...BY_OPERATOR, reason }) };
}

async function verify(deps: Awaited<ReturnType<typeof openDeps>>): Promise<Record<string, unknown>> {
  const { verifyLedgers } = await import('../../domain/processes/restore/restore.ts');
  return await total((input) => verifyLedgers(deps, input));
}

/** Restores the table in use into a new, unused table in read-only mode, and compares its balances with their ledgers. */
export async function restore({ at, as, reason }: { at: Date; as: string | undefined; reason: string }) {
  const source = required('TABLE_NAME');
  const { AWS_REGION: region, STAGE: stage } = config;
  const target = as ?? `hosting-${stage}-${at.toISOString().replace(/[^\d]/g, '').slice(0, 14)}`;
  // The target becomes read-only below.
  if (target === source) throw new Error(`${target} is the table in use.`);
  const tableStream = await restoreTable(new DynamoDBClient({ region }), { source, target, at });
  console.error(`Restored into ${target}, whose stream is ${tableStream}. Comparing balances with their ledgers.`);
  await renewCredentials();
  const deps = await openDeps(reason, target);
  const { setSwitch } = await import('../../domain/operator/switches.ts');
  const caller = { accountId: '', keyId: '' };
  await setSwitch(deps, caller, { name: 'read-only', off: true, message: NOTICE, reason });
  return { table: target, tableStream, ledgers: await verify(deps) };
}

/** Creates a user for every login without one. */
export async function restoreLogins({ reason }: { reason: string }) {
  const { users } = await import('../../runtime/bindings/users.ts');
  const { restoreLogins: run } = await import('../../domain/processes/restore/logins.ts');
  const deps = { ...(await openDeps(reason)), users };
  return await total(async (input) => await run(deps, input));
}

/**
 * Returns the function whose rights operators use to release applications in other cells: it reads aliases and releases. They assume its
 * roles in the cells through a role of the platform's account (lib/stacks/deployments.ts), because cells trust only roles with the
 * platform's names.
 */
async function releaseWorker() {
  const { roleSession } = await import('../../runtime/aws/role-session.ts');
  const { AWS_REGION: region, STAGE: stage } = config;
  const [, , , , account] = required('APP_FUNCTION_ARN_PREFIX').split(':');
  const roleArn = `arn:aws:iam::${account}:role/hosting-${stage}-repair-${region}`;
  const credentials = roleSession({ roleArn, name: 'operate' });
  return { name: `hosting-${stage}-workflow-moveApp`, credentials };
}

/** Restores the code that the table references, and the routes of custom domains. */
async function restoreReleases(reason: string) {
  const [
    worker,
    { restoreReleases: run },
    { cellsWith },
    { appHost },
    { appLogs },
    { hostRoutes },
    { bucket },
    { deletedArtifacts },
  ] = await Promise.all([
    releaseWorker(),
    import('../../domain/processes/restore/releases.ts'),
    import('../../runtime/cells.ts'),
    import('../../runtime/bindings/app-host.ts'),
    import('../../runtime/bindings/app-logs.ts'),
    import('../../runtime/bindings/host-routes.ts'),
    import('../../runtime/bindings/builds.ts'),
    import('../../runtime/bindings/deleted-artifacts.ts'),
  ]);
  const cellOf = cellsWith({ appHost, appLogs, hostRoutes }, worker);
  const deps = { ...(await openDeps(reason)), bucket, deletedArtifacts, cellOf };
  return await total(async (input) => await run(deps, input));
}

/**
 * Repeats a run, each time from the cursor of the previous one, until it has visited the whole table. Returns the combined reports:
 * numbers are added, lists are concatenated.
 */
async function total<Report extends { cursor?: ItemKey }>(
  run: (input: { cursor?: ItemKey }) => Promise<Report>,
): Promise<Record<string, unknown>> {
  const sums: Record<string, unknown> = {};
  let next: ItemKey | undefined;
  do {
    // The runs together may take longer than the credentials are valid.
    await renewCredentials();
    const { cursor, ...report } = await run(next ? { cursor: next } : {});
    for (const [name, value] of Object.entries(report)) {
      const before = sums[name];
      if (Array.isArray(value)) sums[name] = [...(Array.isArray(before) ? before : []), ...value];
      else sums[name] = Number(before ?? 0) + Number(value);
    }
    next = cursor;
  } while (next);
  return sums;
}

/** Repairs everything outside of the table in use to match it, including users and code, and compares its balances with their ledgers. */
export async function repair({ reason }: { reason: string }) {
  const deps = await openDeps(reason);
  const { repairAfterRestore } = await import('../../domain/processes/restore/restore.ts');
  const { repaired } = await total((input) => repairAfterRestore(deps, input));
  const logins = await restoreLogins({ reason });
  const releases = await restoreReleases(reason);
  return { table: config.TABLE_NAME, repaired, logins, releases, ledgers: await verify(deps) };
}
