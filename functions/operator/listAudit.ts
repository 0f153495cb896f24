import { AuditInput, listForOperators } from '../../domain/audit/log.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/** Operator function: lists the audit log of an account, which records the read, or all actions of operators. */
export const handler = operatorFunction(AuditInput(), (deps, input) => listForOperators(deps, input));
