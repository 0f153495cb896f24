import { lookAtDoor } from '../../domain/doors.ts';
import { DoorInput } from '../../domain/workflow.ts';
import { deps } from '../../runtime/deps.ts';
import { doorAddress } from '../../runtime/door-address.ts';
import { doors } from '../../runtime/doors.ts';
import { hostRoutes } from '../../runtime/host-routes.ts';
import { leads } from '../../runtime/leads.ts';
import { step } from '../../runtime/triggers/step.ts';

/** One look at the door of a domain. */
export const handler = step(DoorInput, (of) => lookAtDoor({ ...deps, doors, leads, hostRoutes, doorAddress }, of));
