import { teardownApp } from '../../domain/processes/teardown.ts';
import { TeardownInput } from '../../domain/workflow.ts';
import { appHost } from '../../runtime/bindings/app-host.ts';
import { appLogs } from '../../runtime/bindings/app-logs.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { databases } from '../../runtime/databases.ts';
import { deps } from '../../runtime/deps.ts';
import { hostRoutes } from '../../runtime/host-routes.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Takes a deleted application down. */
export const handler = step(TeardownInput, (ids) =>
  teardownApp({ ...deps, appHost, appLogs, builds, databases, hostRoutes }, ids),
);
