import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { invalidField } from '../../contract/errors.ts';
import { HostName } from '../../contract/host-names/host-names.ts';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import type { PanelServer } from '../../providers/hosting-panel/panel.ts';
import { HOSTING_SERVERS, HostingServer } from '../../table/entities/hosting.ts';
import { allUnchanged } from '../../table/expressions.ts';
import { change, create } from '../../table/writes.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import { readThrough } from '../cache/cache.ts';
import { concurrentUpdate, retryRequest } from '../conflict.ts';
import type { Deps } from '../deps.ts';

/** An operator's input for a server. Omitted fields of a known server are kept, so that closing it or replacing its token changes nothing else. */
export const ServerInput = z.object({
  name: z
    .string()
    .check(
      z.regex(
        /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/,
        'must be lower-case letters, digits and hyphens inside, e.g. web-1',
      ),
    ),
  baseUrl: z.optional(
    z.string().check(z.regex(/^https?:\/\/[^\s?#]+[^/\s?#]$/, 'must be an address without a slash at its end')),
  ),
  user: z.optional(z.string().check(z.regex(/^[a-z0-9]+$/, 'must be lower-case letters and digits'))),
  address: z.optional(z.ipv4('must be an IPv4 address, e.g. 192.0.2.1')),
  mailHost: z.optional(HostName()),
  token: z.optional(z.string().check(z.minLength(1))),
  open: z.optional(z.boolean()),
});

/** Encryption context of a server's token: only functions that call hosting servers decrypt it. */
const context = (name: string) => ({ hostingServer: name });

/** The fields that a new server needs. */
const REQUIRED = ['baseUrl', 'user', 'token', 'open'] as const;
/** The fields that responses contain: all but the token. */
const SHOWN = ['baseUrl', 'user', 'address', 'mailHost', 'open'] as const;

/**
 * Adds or changes a server, and returns it without its token. For operators and seeding. Throws 400 for a new server that lacks a
 * required field.
 */
export async function setServer(
  deps: Deps & { secrets: Secrets },
  { name, ...input }: z.output<typeof ServerInput>,
): Promise<Omit<HostingServer, 'token'>> {
  const sealed = input.token === undefined ? undefined : await deps.secrets.seal(context(name), input.token);
  const given = Object.entries({ ...input, token: sealed }).filter(([, value]) => value !== undefined);
  const set: Partial<HostingServer> = Object.fromEntries(given);
  const about = { action: 'hosting-server.set', accountId: NO_ACCOUNT, subjectId: name } as const;
  return await retryRequest(async () => {
    const known = await deps.table.get(HostingServer, { name });
    const missing = known ? undefined : REQUIRED.find((field) => set[field] === undefined);
    if (missing) throw invalidField(missing, 'is required for a new server');
    const server = { ...known, ...set, name } as HostingServer;
    const { token: _, ...shown } = server;
    const write = known
      ? change(HostingServer, { name }, { set, when: allUnchanged(known, SHOWN) }, concurrentUpdate)
      : create(HostingServer, server, concurrentUpdate);
    return await deps.commit([write], shown, { ...about, ...(known ? { before: known } : {}), after: shown });
  });
}

/** Returns all servers without their tokens, for operators. */
export async function listServers({ table }: Pick<Deps, 'table'>): Promise<Omit<HostingServer, 'token'>[]> {
  const servers = await table.all(HostingServer, HOSTING_SERVERS, { oldestFirst: true });
  return servers.map(({ token: _, ...shown }) => shown);
}

/**
 * Chooses a server for a domain's account among the open ones; undefined if none is open. It chooses by the domain's hash, so that
 * servers fill up evenly, and a retry or another subscription for the domain finds the same server as long as the servers do not change.
 */
export async function chooseServer(deps: Pick<Deps, 'table'>, domain: string): Promise<string | undefined> {
  const open = (await deps.table.all(HostingServer, HOSTING_SERVERS)).filter((server) => server.open);
  const hash = createHash('sha256').update(domain).digest().readUInt32BE();
  return open[hash % open.length]?.name;
}

/** Cache of servers with their address and credentials, per warm instance. */
const servers = readThrough<PanelServer>({ max: 100, ttlMs: 30_000 });

async function read(deps: Deps & { secrets: Secrets }, name: string): Promise<PanelServer> {
  const server = await deps.table.get(HostingServer, { name });
  if (!server) throw new Error(`there is no hosting server ${name}`);
  const { baseUrl, user, token } = server;
  return { baseUrl, user, token: await deps.secrets.unseal(context(name), token) };
}

/** Returns a server's address and credentials. */
export const findServer = (deps: Deps & { secrets: Secrets }, name: string): Promise<PanelServer> =>
  servers(name, () => read(deps, name));
