import { AdjustmentInput, adjustAccount } from '../../domain/billing/adjustments.ts';
import { plans } from '../../runtime/bindings/plans.ts';
import { operatorDeps as deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Operator function: adjusts an account's balance or limits, issues or voids an invoice, or grants a plan. */
export const handler = step(AdjustmentInput(), (entry) => adjustAccount({ ...deps, plans }, entry));
