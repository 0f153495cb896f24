import { routeNewApp, startTeardown } from '../domain/deployments/executions.ts';
import { App } from '../table/entities/apps.ts';
import { on, type Rules } from './on.ts';

export type AppRuleDeps = Parameters<typeof routeNewApp>[0] & Parameters<typeof startTeardown>[0];

/** Rules about applications. */
export const appRules = (deps: AppRuleDeps): Rules => ({
  'app.route-placeholder': on(App).created((app) => routeNewApp(deps, app)),
  'app.teardown': on(App).becomes({ status: 'DELETING' }, (app) => startTeardown(deps, app)),
});
