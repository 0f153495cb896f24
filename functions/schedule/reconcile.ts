import * as z from 'zod/mini';
import { reconcileDeployments } from '../../domain/executions.ts';
import { deps } from '../../runtime/deps.ts';
import { deployments } from '../../runtime/executions.ts';
import { step } from '../../runtime/step.ts';

/** Every minute: finds what is overdue and puts it back on its way. */
export const handler = step(z.unknown(), () => reconcileDeployments({ ...deps, deployments: deployments() }));
