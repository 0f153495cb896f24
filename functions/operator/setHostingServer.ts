import { ServerInput, setServer } from '../../domain/hosting/servers.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { byHand } from '../../runtime/triggers/by-hand.ts';

/** Operator function: adds or changes a server for web and email hosting. */
export const handler = byHand(ServerInput, (deps, server) => setServer({ ...deps, secrets }, server));
