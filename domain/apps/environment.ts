import type { listEnvKeys as ListRoute, replaceEnv as ReplaceRoute } from '../../contract/apps/environment.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { App, EnvSet } from '../../table/entities/apps.ts';
import { create, replace } from '../../table/writes.ts';
import type { Caller, Deps } from '../deps.ts';
import { noSuchApp } from './apps.ts';

/** Encryption context of an application's variables: only its own function may decrypt them. */
export const envContext = (deps: Deps, applicationId: string) => ({
  application: deps.settings.hostArnOf(applicationId),
});

const replacedConcurrently = () =>
  new ApiError('conflict', 'The variables were being replaced by another request at the same time.');

/** Returns the stored values by name. A map, because a customer may choose the name of any property of an object. */
async function readStoredValues(
  deps: Deps & { secrets: Secrets },
  env: EnvSet | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (!env) return new Map();
  const text = await deps.secrets.unseal(envContext(deps, env.applicationId), env.sealed);
  return new Map(Object.entries<string>(JSON.parse(text)));
}

/** PUT /v1/apps/{id}/env: replaces the whole set; an empty value keeps the stored one. Of two racing calls one wins. */
export async function replaceEnv(
  deps: Deps & { secrets: Secrets },
  { accountId }: Caller,
  { id, vars }: Input<typeof ReplaceRoute>,
): Promise<Output<typeof ReplaceRoute>> {
  const of = { accountId, id };
  const [app, before] = await Promise.all([deps.table.get(App, of), deps.table.get(EnvSet, of)]);
  if (!app || app.status === 'DELETING') throw noSuchApp();
  const stored = vars.some(({ value }) => value === '') ? await readStoredValues(deps, before) : new Map();
  const values = Object.fromEntries(vars.map(({ key, value }) => [key, value || (stored.get(key) ?? '')]));
  const keys = vars.map(({ key }) => key);
  const sealed = await deps.secrets.seal(envContext(deps, id), JSON.stringify(values));
  const env = { ...of, applicationId: id, keys, sealed, version: (before?.version ?? 0) + 1 };
  const write = before
    ? replace(EnvSet, env, { version: { is: before.version } }, replacedConcurrently)
    : create(EnvSet, env, replacedConcurrently);
  return await deps.commit([write], { data: { keys } });
}

/** GET /dashboard/v1/apps/{id}/env: the names alone; nothing shows the values. */
export async function listEnvKeys(
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const of = { accountId, id };
  const [app, env] = await Promise.all([deps.table.get(App, of), deps.table.get(EnvSet, of)]);
  if (!app || app.status === 'DELETING') throw noSuchApp();
  return { data: { keys: env?.keys ?? [] } };
}
