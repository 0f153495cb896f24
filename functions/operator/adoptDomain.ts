import { AdoptionInput, adoptDomain } from '../../domain/domain-adoption.ts';
import { deps } from '../../runtime/deps.ts';
import { dns } from '../../runtime/dns.ts';
import { extensions } from '../../runtime/extensions.ts';
import { registrar } from '../../runtime/registrar.ts';
import { step } from '../../runtime/step.ts';

/** For operators, by hand: puts a domain that is at our registrar already under an account. */
export const handler = step(AdoptionInput(), (input) => adoptDomain({ ...deps, registrar, dns, extensions }, input));
