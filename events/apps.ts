import { routeNewApp, startTeardown } from '../domain/deployments/executions.ts';
import { applyAppStatus, type SuspensionDeps } from '../domain/deployments/suspension.ts';
import { App } from '../table/entities/apps.ts';
import { on, type Rules } from './on.ts';

export type AppRuleDeps = Parameters<typeof routeNewApp>[0] & Parameters<typeof startTeardown>[0] & SuspensionDeps;

/** Rules about applications. */
export const appRules = (deps: AppRuleDeps): Rules => ({
  'app.route-placeholder': on(App).created((app) => routeNewApp(deps, app)),
  'app.suspend': on(App).becomes({ status: 'SUSPENDED' }, (app) => applyAppStatus(deps, app)),
  'app.resume': on(App).updated({ from: { status: 'SUSPENDED' }, to: { status: 'RUNNING' } }, (app) =>
    applyAppStatus(deps, app),
  ),
  'app.teardown': on(App).becomes({ status: 'DELETING' }, (app) => startTeardown(deps, app)),
});
