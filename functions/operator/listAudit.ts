import { AuditInput, listForOperators } from '../../domain/audit/log.ts';
import { byHand } from '../../runtime/triggers/by-hand.ts';

/** Operator function: lists the audit log of an account, which is recorded there, or everything that operators did. */
export const handler = byHand(AuditInput(), (deps, input) => listForOperators(deps, input));
