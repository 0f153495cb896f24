import { App } from '../../table/entities/apps.ts';
import { Invoice, Subscription } from '../../table/entities/billing.ts';
import { Move } from '../../table/entities/cells.ts';
import { DistributionTenant } from '../../table/entities/custom-domains.ts';
import { Database } from '../../table/entities/databases.ts';
import { Deployment } from '../../table/entities/deployments.ts';
import { startReconciliation as reconcileTenant } from '../custom-domains/reconciliation.ts';
import { startClusterWork } from '../databases/clusters.ts';
import { cancelRunning, discardBuild, startQueued, startTeardown } from '../deployments/executions.ts';
import { startReconciliation as reconcileHosting } from '../hosting/accounts.ts';
import { startMove } from '../moves/executions.ts';
import { onDomainInvoicePaid } from '../registrar/lifecycle.ts';
import { jobAbout } from './jobs.ts';

/** Jobs that start and stop builds and executions of the state machines. A job's detail, if it has one, names the execution. */
export const WORKFLOW_JOBS = {
  'app.teardown': jobAbout(App, (deps: Parameters<typeof startTeardown>[0], app) => startTeardown(deps, app)),
  'app.move': jobAbout(Move, startMove),
  'database.start-work': jobAbout(Database, startClusterWork),
  'deployment.cancel': jobAbout(Deployment, cancelRunning),
  'deployment.discard-build': jobAbout(Deployment, discardBuild),
  'deployment.start': jobAbout(Deployment, startQueued),
  'domain.fulfil-paid-invoice': jobAbout(Invoice, onDomainInvoicePaid),
  'hosting.reconcile-account': jobAbout(Subscription, reconcileHosting),
  'tenant.reconcile': jobAbout(DistributionTenant, reconcileTenant),
};
