import { ServerInput, setServer } from '../../domain/hosting/servers.ts';
import { secrets } from '../../runtime/bindings/secrets.ts';
import { operatorDeps as deps } from '../../runtime/deps.ts';
import { step } from '../../runtime/triggers/step.ts';

/** Operator function: adds or changes a server for web and email hosting. */
export const handler = step(ServerInput, (server) => setServer({ ...deps, secrets }, server));
