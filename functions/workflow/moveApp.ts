import { advanceMove, MoveInput } from '../../domain/moves/advance.ts';
import { appAccess } from '../../runtime/bindings/app-access.ts';
import { appHost } from '../../runtime/bindings/app-host.ts';
import { appLogs } from '../../runtime/bindings/app-logs.ts';
import { bucket, builds } from '../../runtime/bindings/builds.ts';
import { functionArnPrefix } from '../../runtime/bindings/function-arns.ts';
import { hostRoutes } from '../../runtime/bindings/host-routes.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

const cellOf = cellsWith({ appAccess, appHost, appLogs, functionArnPrefix, hostRoutes });

/** Performs one step of moving an application to another hosting cell. */
export const handler = step(MoveInput, (of) => advanceMove({ ...deps, bucket, builds, secrets, cellOf }, of));
