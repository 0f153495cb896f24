import { ExtensionsInput, setExtensions } from '../../domain/registrar/tlds.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** For operators, by hand: the extensions on sale and their prices, without a deployment. `{}` is the built-in list. */
export const handler = step(ExtensionsInput(), (offer) => setExtensions(deps, offer));
