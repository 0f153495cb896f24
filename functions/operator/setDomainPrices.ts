import { setTlds, TldsInput } from '../../domain/registrar/tlds.ts';
import { operatorDeps as deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Operator function: sets the domain extensions on sale and their prices. `{}` restores the built-in list. */
export const handler = step(TldsInput(), (offer) => setTlds(deps, offer));
