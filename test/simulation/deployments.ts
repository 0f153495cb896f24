import { failDeployment, succeedDeployment } from '../../domain/deployments/finish.ts';
import type { Deps } from '../../domain/deps.ts';
import { newId } from '../../domain/ids.ts';
import { App, Deployment } from '../../table/entities.ts';
import { change, create } from '../../table/writes.ts';
import { memoryTable } from '../support/memory-table.ts';

const ids = { accountId: 'acc_1', applicationId: 'app_1' };

/** An application and its deployments in a table in memory. */
export async function deploymentWorld(fields: Partial<App> = {}) {
  const memory = memoryTable();
  /** Epoch milliseconds: tests move it on. */
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
  const deps: Deps = {
    table: memory.table,
    now: () => new Date(clock.now),
    newId: (prefix) => newId(prefix, clock.now),
    settings: {
      ...{ publicUrl: '', appsDomain: 'apps.localhost', hostArnOf: (id) => id, webhookRetrySchedule: [] },
      ...{ allowLocalWebhooks: false, allowLocalRepositories: false },
    },
    commit: async (writes, output) => {
      await memory.table.transact(writes);
      return output;
    },
  };
  const app: App = {
    ...{ id: ids.applicationId, accountId: ids.accountId, name: 'App', slug: 'app', framework: 'NODE' },
    ...{ nodeVersion: '22', repoUrl: 'https://github.com/you/app.git', branch: 'main', installCommand: 'npm ci' },
    ...{ buildCommand: null, startFile: 'server.js', primaryDomain: 'app', hosts: ['app'], status: 'RUNNING' },
    ...{ autoDeploy: true, createdAt: '', updatedAt: '', ...fields },
  };
  await memory.table.transact([create(App, app)]);
  const ofApp = { accountId: ids.accountId, id: ids.applicationId };
  return {
    ...{ memory, deps, ids, clock },
    caller: { accountId: ids.accountId, keyId: 'key' },
    app: () => memory.table.get(App, ofApp),
    set: (set: Partial<App>) => memory.table.transact([change(App, ofApp, { set })]),
    deployments: () => memory.items('DEPLOYMENT').map((item) => Deployment.parse(item)),
    succeed: (deploymentId: string) => succeedDeployment(deps, { ...ids, deploymentId }),
    fail: (deploymentId: string) => failDeployment(deps, { ...ids, deploymentId }, 'because'),
  };
}
