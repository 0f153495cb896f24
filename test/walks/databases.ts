import { expect } from 'vitest';
import { accessOf } from '../../domain/databases/access.ts';
import { databaseUseQueue, reviewLimits, startMeasuring } from '../../domain/databases/use.ts';
import { findAccount } from '../../domain/limits/limits.ts';
import { sweep } from '../../domain/sweep/sweep.ts';
import { reportDatabaseUse } from '../../runtime/observability/database-metrics.ts';
import { Database } from '../../table/entities/databases.ts';
import { create } from '../../table/writes.ts';
import { newSimulatedAccount } from '../simulation/account.ts';
import { simulation } from '../simulation/simulation.ts';
import type { Scene, Walk } from '../support/walks.ts';

/** An application scans its database in an endless loop, on an account with a limit that allows it. */
async function endlessScans(): Promise<Scene> {
  const { clock, steady } = simulation({ startAt: Date.parse('2026-01-10T00:00:00Z') });
  const { deps } = steady;
  const accountId = 'acc_1';
  const database = { id: 'db_1', accountId, applicationId: 'app_1', name: 'main', prefix: 'MAIN', host: 'h' };
  await deps.table.transact([
    newSimulatedAccount(accountId, { limits: { databaseUnitsPerMonth: 1_000_000_000 } }),
    create(Database, {
      ...database,
      status: 'AVAILABLE',
      region: 'eu-west-1',
      clusterId: 'cluster_1',
      createdAt: deps.now().toISOString(),
    }),
  ]);
  await startMeasuring(deps, accountId);
  let units = 100;
  let isBusy = false;
  const databaseMetrics = {
    readUsage: async () => new Map([['cluster_1', { units, storageBytes: 1 }]]),
  };
  const access = async () => accessOf(await findAccount(deps, accountId), deps.now());
  return {
    clock,
    deps,
    async minute() {
      if (isBusy && (await access()) === 'ALL') units += 500_000;
      reportDatabaseUse(await sweep({ ...deps, databaseMetrics }, databaseUseQueue));
    },
    breakIt: () => {
      isBusy = true;
    },
    whileBroken: async () => expect(await access()).toBe('ALL'),
    steps: [
      {
        command: 'aws lambda invoke --region <region> --function-name hosting-<stage>-operator-adjustAccount',
        fill: { 'acc_…': accountId },
      },
      {
        words: 'Within a minute its databases are measured and new connections refused',
        act: async () => reviewLimits(deps, await findAccount(deps, accountId)),
      },
    ],
    whenOver: async () => expect(await access()).toBe('NONE'),
  };
}

export const databaseWalks: Walk[] = [
  {
    page: 'Database use',
    fault: 'an application scans its database in an endless loop',
    alarms: ['database-use'],
    pace: 30,
    open: endlessScans,
  },
];
