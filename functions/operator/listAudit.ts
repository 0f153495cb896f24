import { AuditInput, listForOperators } from '../../domain/audit/log.ts';
import { operatorDeps as deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Operator function: lists the audit log of an account, which is recorded there, or everything that operators did. */
export const handler = step(AuditInput(), (input) => listForOperators(deps, input));
