import { ServerInput, setServer } from '../../domain/hosting/servers.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** For operators, by hand: a server for web and email hosting, without a deployment. */
export const handler = step(ServerInput, (server) => setServer({ ...deps, secrets }, server));
