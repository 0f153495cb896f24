import { App } from '../../table/entities/apps.ts';
import type { PendingJob } from '../../table/entities/jobs.ts';
import { routeCustomDomain, unrouteCustomDomain } from '../custom-domains/verify.ts';
import { routeNewApp } from '../deployments/executions.ts';
import { applyAppStatus } from '../deployments/suspension.ts';
import { expected, jobAbout } from './jobs.ts';

/** Jobs that change the routes of host names, and whether an application is served. */
export const ROUTE_JOBS = {
  ...({
    'app.route-placeholder': expected(jobAbout(App, routeNewApp)),
    'app.apply-status': expected(jobAbout(App, applyAppStatus)),
  } satisfies Record<PendingJob['job'], unknown>),
  'custom-domain.route': jobAbout(App, routeCustomDomain),
  // The detail is the host name that the application had.
  'custom-domain.unroute': jobAbout(App, unrouteCustomDomain),
};
