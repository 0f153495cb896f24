import { SuspensionByHand, suspendByHand } from '../../domain/operator/suspensions.ts';
import { byHand } from '../../runtime/triggers/by-hand.ts';

/** Operator function: suspends an account, or an application, key or endpoint of it, with a reason, or lifts the suspension. */
export const handler = byHand(SuspensionByHand(), suspendByHand);
