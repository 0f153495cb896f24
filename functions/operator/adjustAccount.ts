import { AdjustmentInput, adjustAccount } from '../../domain/billing/adjustments.ts';
import { plans } from '../../runtime/bindings/plans.ts';
import { byHand } from '../../runtime/triggers/by-hand.ts';

/** Operator function: adjusts an account's balance or limits, issues or voids an invoice, or grants a plan. */
export const handler = byHand(AdjustmentInput(), (deps, entry) => adjustAccount({ ...deps, plans }, entry));
