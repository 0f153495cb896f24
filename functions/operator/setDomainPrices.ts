import { setTlds, TldsInput } from '../../domain/registrar/tlds.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/** Operator function: sets the domain extensions on sale and their prices. `{}` restores the built-in list. */
export const handler = operatorFunction(TldsInput(), (deps, offer) => setTlds(deps, offer));
