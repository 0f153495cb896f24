import { TeardownInput, teardownApp } from '../../domain/processes/teardown.ts';
import { appHost } from '../../runtime/bindings/app-host.ts';
import { appLogs } from '../../runtime/bindings/app-logs.ts';
import { builds } from '../../runtime/bindings/builds.ts';
import { databases } from '../../runtime/bindings/databases.ts';
import { hostRoutes } from '../../runtime/bindings/host-routes.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

const cellOf = cellsWith({ appHost, appLogs, hostRoutes });

/** Removes the resources of a deleted application. */
export const handler = step(TeardownInput, (ids) => teardownApp({ ...deps, builds, databases, cellOf }, ids));
