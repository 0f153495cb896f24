import { setTlds, TldsInput } from '../../domain/registrar/tlds.ts';
import { byHand } from '../../runtime/triggers/by-hand.ts';

/** Operator function: sets the domain extensions on sale and their prices. `{}` restores the built-in list. */
export const handler = byHand(TldsInput(), (deps, offer) => setTlds(deps, offer));
