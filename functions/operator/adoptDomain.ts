import { AdoptionInput, adoptDomain } from '../../domain/processes/adopt-domain.ts';
import { dns } from '../../runtime/bindings/dns.ts';
import { edgeEndpoint } from '../../runtime/bindings/edge-endpoint.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { tlds } from '../../runtime/bindings/tlds.ts';
import { cellsWith } from '../../runtime/cells.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

const cellOf = cellsWith({ edgeEndpoint });

/** Operator function: assigns a domain that is already at the registrar to an account. */
export const handler = operatorFunction(AdoptionInput(), (deps, input) =>
  adoptDomain({ ...deps, registrar, dns, tlds, cellOf }, input),
);
