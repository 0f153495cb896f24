import * as z from 'zod/mini';
import {
  ENV_LIMITS,
  ENV_TOO_LARGE,
  envBytes,
  type listEnvKeys as ListRoute,
  type replaceEnv as ReplaceRoute,
  type updateEnv as UpdateRoute,
} from '../../contract/apps/environment.ts';
import { ApiError } from '../../contract/errors.ts';
import { memoize } from '../../contract/memoize.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { App, EnvSet } from '../../table/entities/apps.ts';
import { check, create, replace, type Write } from '../../table/writes.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { noSuchApp } from './apps.ts';

/** Encryption context of an application's variables: only its own function may decrypt them. */
export const envContext = (deps: Deps, applicationId: string) => ({
  application: deps.settings.hostArnOf(applicationId),
});

const Entries = memoize(() => z.array(z.tuple([z.string(), z.string()])));

/**
 * Returns the values by name out of the text that is sealed. A map, because a customer may choose the name of any property of
 * an object.
 */
export const parseVariables = (text: string): ReadonlyMap<string, string> =>
  new Map(Entries().parse(Object.entries(JSON.parse(text))));

async function readStoredValues(
  deps: Deps & { secrets: Secrets },
  env: EnvSet | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (!env) return new Map();
  return parseVariables(await deps.secrets.unseal(envContext(deps, env.applicationId), env.sealed));
}

type AppKey = { accountId: string; id: string };

/**
 * Returns the writes that store the whole set over the one that was read. They throw `ConcurrentUpdateError`, and 404 for an application that is
 * deleted meanwhile: its teardown may have removed the set already.
 */
async function storing(
  deps: Deps & { secrets: Secrets },
  of: AppKey,
  before: EnvSet | undefined,
  values: ReadonlyMap<string, string>,
): Promise<Write[]> {
  const sealed = await deps.secrets.seal(envContext(deps, of.id), JSON.stringify(Object.fromEntries(values)));
  const version = (before?.version ?? 0) + 1;
  const env = { ...of, applicationId: of.id, keys: [...values.keys()], sealed, version };
  return [
    before
      ? replace(EnvSet, env, { version: { is: before.version } }, concurrentUpdate)
      : create(EnvSet, env, concurrentUpdate),
    check(App, of, { pk: 'present', status: { isNot: 'DELETING' } }, noSuchApp),
  ];
}

/** Reads an application's set. @throws ApiError 404 */
async function readEnv(deps: Deps, of: AppKey): Promise<EnvSet | undefined> {
  const [app, env] = await Promise.all([deps.table.get(App, of), deps.table.get(EnvSet, of)]);
  if (!app || app.status === 'DELETING') throw noSuchApp();
  return env;
}

/** PUT /v1/apps/{id}/env: replaces the whole set; an empty value keeps the stored one. Of racing calls the last one's set stays. */
export async function replaceEnv(
  deps: Deps & { secrets: Secrets },
  { accountId }: Caller,
  { id, vars }: Input<typeof ReplaceRoute>,
): Promise<Output<typeof ReplaceRoute>> {
  const of = { accountId, id };
  const replaceAll = async () => {
    const before = await readEnv(deps, of);
    const stored = vars.some(({ value }) => value === '') ? await readStoredValues(deps, before) : new Map();
    const values = new Map(vars.map(({ key, value }) => [key, value || (stored.get(key) ?? '')]));
    assertWithinLimits('vars', values, stored);
    const writes = await storing(deps, of, before, values);
    return await deps.commit(writes, { data: { keys: [...values.keys()] } }, changeOf(before, values, vars));
  };
  return await retryRequest(replaceAll);
}

/** Returns what the audit log says of a change: the names of all variables, of those that were set, and of those that are gone. */
function changeOf(
  before: EnvSet | undefined,
  values: ReadonlyMap<string, string>,
  given: readonly { key: string; value: string }[],
) {
  const keys = before?.keys ?? [];
  const set = given.filter(({ value }) => value !== '').map(({ key }) => key);
  return {
    before: { keys },
    after: { keys: [...values.keys()], set, removed: keys.filter((key) => !values.has(key)) },
  };
}

type Values = ReadonlyMap<string, string>;

const bytesOf = (values: Values): number => envBytes([...values].map(([key, value]) => ({ key, value })));

/**
 * Refuses a set that is larger than an application's may be. One that earlier versions let grow too large may shrink.
 * @throws ApiError 400, naming the field
 */
function assertWithinLimits(field: 'vars' | 'set', values: Values, stored: Values): void {
  if (values.size > ENV_LIMITS.count && values.size >= stored.size)
    throw new ApiError('invalid_request', `${field}: must leave at most ${ENV_LIMITS.count} variables`);
  const bytes = bytesOf(values);
  if (bytes > ENV_LIMITS.totalBytes && bytes >= bytesOf(stored))
    throw new ApiError('invalid_request', `${field}: ${ENV_TOO_LARGE} with the application’s other variables`);
}

/**
 * PATCH /v1/apps/{id}/env: removes names, then sets variables. Others stay, those of a concurrent request included. Not part
 * of the specification: an addition, so that two people who edit at once lose nothing.
 */
export async function updateEnv(
  deps: Deps & { secrets: Secrets },
  { accountId }: Caller,
  { id, set = [], remove = [] }: Input<typeof UpdateRoute>,
): Promise<Output<typeof UpdateRoute>> {
  const of = { accountId, id };
  const update = async () => {
    const before = await readEnv(deps, of);
    const stored = await readStoredValues(deps, before);
    const values = new Map(stored);
    for (const key of remove) values.delete(key);
    // Values are not compared: the audit log would tell who guesses one.
    if (set.length === 0 && values.size === stored.size) return { data: { keys: [...values.keys()] } };
    for (const { key, value } of set) values.set(key, value);
    assertWithinLimits('set', values, stored);
    const writes = await storing(deps, of, before, values);
    return await deps.commit(writes, { data: { keys: [...values.keys()] } }, changeOf(before, values, set));
  };
  return await retryRequest(update);
}

/** GET /v1/apps/{id}/env: the names alone; nothing shows the values. */
export async function listEnvKeys(
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const env = await readEnv(deps, { accountId, id });
  return { data: { keys: env?.keys ?? [] } };
}
