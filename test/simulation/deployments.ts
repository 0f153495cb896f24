import { failDeployment, succeedDeployment } from '../../domain/deployments/finish.ts';
import { Account } from '../../table/entities/accounts.ts';
import { App } from '../../table/entities/apps.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { change, create } from '../../table/writes.ts';
import { newSimulatedAccount } from './account.ts';
import { simulatedApp } from './app.ts';
import { simulation } from './simulation.ts';

const ids = { accountId: 'acc_1', applicationId: 'app_1' };

/** An application and its deployments. */
export async function deploymentSimulation(fields: Partial<App> = {}, account: Partial<Account> = {}) {
  const { memory, clock, steady, startProcess } = simulation({
    startAt: Date.parse('2026-01-01T00:00:00Z'),
    settings: { publicUrl: '', appsDomain: 'apps.localhost', webhookRetrySchedule: [] },
  });
  const { deps } = steady;
  const app = simulatedApp({
    id: ids.applicationId,
    accountId: ids.accountId,
    slug: 'app',
    repoUrl: 'https://github.com/you/app.git',
    primaryDomain: 'app',
    hosts: ['app'],
    autoDeploy: true,
    ...fields,
  });
  await deps.table.transact([create(App, app), newSimulatedAccount(ids.accountId, account)]);
  const ofApp = { accountId: ids.accountId, id: ids.applicationId };
  return {
    memory,
    deps,
    ids,
    clock,
    startProcess,
    caller: { accountId: ids.accountId, keyId: 'key' },
    app: () => deps.table.get(App, ofApp),
    account: () => deps.table.get(Account, { id: ids.accountId }),
    set: (set: Partial<App>) => deps.table.transact([change(App, ofApp, { set })]),
    deployments: () => memory.items('DEPLOYMENT').map((item) => Deployment.parse(item)),
    succeed: (deploymentId: string) => succeedDeployment(deps, { ...ids, deploymentId }),
    fail: (deploymentId: string) => failDeployment(deps, { ...ids, deploymentId }, 'because'),
  };
}
