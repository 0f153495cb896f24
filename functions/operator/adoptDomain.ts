import { AdoptionInput, adoptDomain } from '../../domain/processes/adopt-domain.ts';
import { dns } from '../../runtime/bindings/dns.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { tlds } from '../../runtime/bindings/tlds.ts';
import { operatorDeps as deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Operator function: assigns a domain that is already at the registrar to an account. */
export const handler = step(AdoptionInput(), (input) => adoptDomain({ ...deps, registrar, dns, tlds }, input));
