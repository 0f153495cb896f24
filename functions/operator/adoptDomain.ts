import { AdoptionInput, adoptDomain } from '../../domain/processes/adopt-domain.ts';
import { dns } from '../../runtime/bindings/dns.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { deps } from '../../runtime/deps.ts';
import { extensions } from '../../runtime/extensions.ts';
import { step } from '../../runtime/triggers/step.ts';

/** For operators, by hand: puts a domain that is at our registrar already under an account. */
export const handler = step(AdoptionInput(), (input) => adoptDomain({ ...deps, registrar, dns, extensions }, input));
