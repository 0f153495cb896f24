import { ServerInput, setServer } from '../../domain/hosting/servers.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { operatorFunction } from '../../runtime/triggers/operator-function.ts';

/** Operator function: adds or changes a server for web and email hosting. */
export const handler = operatorFunction(ServerInput, (deps, server) => setServer({ ...deps, secrets }, server));
