import * as z from 'zod/mini';
import {
  ENV_LIMITS,
  ENV_TOO_LARGE,
  envBytes,
  type listEnvKeys as ListRoute,
  type replaceEnv as ReplaceRoute,
  type updateEnv as UpdateRoute,
} from '../../contract/apps/environment.ts';
import { invalidField } from '../../contract/errors.ts';
import { memoize } from '../../contract/memoize.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import { App, EnvSet } from '../../table/entities/apps.ts';
import { check, create, replace, type Write } from '../../table/writes.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Caller, Deps } from '../deps.ts';
import { findApp, noSuchApp } from './apps.ts';

/** Returns the encryption context of an application's variables: only the application's function may decrypt them. */
export const envContext = (deps: Deps, applicationId: string) => ({
  application: deps.settings.hostArnOf(applicationId),
});

const Entries = memoize(() => z.array(z.tuple([z.string(), z.string()])));

/**
 * Parses the decrypted variables. Returns a map instead of an object, because a customer may name a variable like a property of
 * `Object.prototype`.
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
 * Returns the writes that replace the set that was read. They throw `ConcurrentUpdateError` if the set changed since, and 404 if the application
 * was deleted: its teardown may have removed the set already.
 */
async function envWrites(
  deps: Deps & { secrets: Secrets },
  key: AppKey,
  before: EnvSet | undefined,
  values: ReadonlyMap<string, string>,
): Promise<Write[]> {
  const sealed = await deps.secrets.seal(envContext(deps, key.id), JSON.stringify(Object.fromEntries(values)));
  const version = (before?.version ?? 0) + 1;
  const env = { ...key, applicationId: key.id, keys: [...values.keys()], sealed, version };
  return [
    before
      ? replace(EnvSet, env, { version: { is: before.version } }, concurrentUpdate)
      : create(EnvSet, env, concurrentUpdate),
    check(App, key, { pk: 'present', status: { isNot: 'DELETING' } }, noSuchApp),
  ];
}

/** Reads an application's variables. Throws 404 if the application does not exist or is being deleted. */
async function readEnv(deps: Deps, key: AppKey): Promise<EnvSet | undefined> {
  const [, env] = await Promise.all([findApp(deps, key, key.id), deps.table.get(EnvSet, key)]);
  return env;
}

/** PUT /v1/apps/{id}/env: replaces the whole set; an empty value keeps the stored one. Of concurrent calls the last one wins. */
export async function replaceEnv(
  deps: Deps & { secrets: Secrets },
  { accountId }: Caller,
  { id, vars }: Input<typeof ReplaceRoute>,
): Promise<Output<typeof ReplaceRoute>> {
  const key = { accountId, id };
  const replaceAll = async () => {
    const before = await readEnv(deps, key);
    const stored = vars.some(({ value }) => value === '') ? await readStoredValues(deps, before) : new Map();
    const values = new Map(vars.map(({ key: name, value }) => [name, value || (stored.get(name) ?? '')]));
    assertWithinLimits('vars', values, stored);
    const writes = await envWrites(deps, key, before, values);
    const given = vars.filter(({ value }) => value !== '');
    return await deps.commit(writes, { data: { keys: [...values.keys()] } }, changeOf(before, values, given));
  };
  return await retryRequest(replaceAll);
}

/** Returns a change for the audit log: the names of all variables, of those that were set, and of those that were removed. */
function changeOf(before: EnvSet | undefined, values: ReadonlyMap<string, string>, given: readonly { key: string }[]) {
  const keys = before?.keys ?? [];
  const set = given.map(({ key }) => key);
  return {
    before: { keys },
    after: { keys: [...values.keys()], set, removed: keys.filter((key) => !values.has(key)) },
  };
}

type Values = ReadonlyMap<string, string>;

const bytesOf = (values: Values): number => envBytes([...values].map(([key, value]) => ({ key, value })));

/**
 * Throws 400, naming the field, for a set beyond the limits. A set that earlier versions let grow too large may still shrink.
 */
function assertWithinLimits(field: 'vars' | 'set', values: Values, stored: Values): void {
  if (values.size > ENV_LIMITS.count && values.size >= stored.size)
    throw invalidField(field, `must leave at most ${ENV_LIMITS.count} variables`);
  const bytes = bytesOf(values);
  if (bytes > ENV_LIMITS.totalBytes && bytes >= bytesOf(stored))
    throw invalidField(field, `${ENV_TOO_LARGE} with the application’s other variables`);
}

/**
 * PATCH /v1/apps/{id}/env: removes names, then sets variables. Other variables stay, including those that a concurrent request sets.
 * An addition to the specification, so that two people who edit at the same time lose nothing.
 */
export async function updateEnv(
  deps: Deps & { secrets: Secrets },
  { accountId }: Caller,
  { id, set = [], remove = [] }: Input<typeof UpdateRoute>,
): Promise<Output<typeof UpdateRoute>> {
  const key = { accountId, id };
  const update = async () => {
    const before = await readEnv(deps, key);
    const stored = await readStoredValues(deps, before);
    const values = new Map(stored);
    for (const name of remove) values.delete(name);
    // Values are not compared: otherwise a missing audit entry would confirm a guessed value.
    if (set.length === 0 && values.size === stored.size) return { data: { keys: [...values.keys()] } };
    for (const { key: name, value } of set) values.set(name, value);
    assertWithinLimits('set', values, stored);
    const writes = await envWrites(deps, key, before, values);
    return await deps.commit(writes, { data: { keys: [...values.keys()] } }, changeOf(before, values, set));
  };
  return await retryRequest(update);
}

/** GET /v1/apps/{id}/env: only the names; no operation returns the values. */
export async function listEnvKeys(
  deps: Deps,
  { accountId }: Caller,
  { id }: Input<typeof ListRoute>,
): Promise<Output<typeof ListRoute>> {
  const env = await readEnv(deps, { accountId, id });
  return { data: { keys: env?.keys ?? [] } };
}
