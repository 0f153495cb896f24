import { AdjustmentInput, adjustAccount } from '../../domain/billing/adjustments.ts';
import { plans } from '../../runtime/bindings/plans.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/** Operator function: adjusts an account's balance or limits, issues or voids an invoice, or grants a plan. */
export const handler = operatorFunction(AdjustmentInput(), (deps, entry) => adjustAccount({ ...deps, plans }, entry));
