import * as z from 'zod/mini';
import { reconcileDeployments, reconcileTeardowns } from '../../domain/executions.ts';
import { deps } from '../../runtime/deps.ts';
import { deployments, teardowns } from '../../runtime/executions.ts';
import { step } from '../../runtime/step.ts';

const needs = { ...deps, deployments: deployments(), teardowns: teardowns() };

/** Every minute: finds what is overdue and puts it back on its way. */
export const handler = step(z.unknown(), async () => ({
  deployments: await reconcileDeployments(needs),
  teardowns: await reconcileTeardowns(needs),
}));
