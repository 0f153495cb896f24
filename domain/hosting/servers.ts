import * as z from 'zod/mini';
import type { Secrets } from '../../providers/encryption/secrets.ts';
import type { PanelServer } from '../../providers/hosting-panel/panel.ts';
import { HOSTING_SERVERS, HostingServer } from '../../table/entities/hosting.ts';
import { change, create } from '../../table/writes.ts';
import type { Deps } from '../deps.ts';

/** What operators say of a server. The token may be left out where the one that is known stays. */
export const ServerInput = z.object({
  name: z.string().check(z.regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/)),
  baseUrl: z.string().check(z.regex(/^https?:\/\/[^\s?#]+[^/\s?#]$/, 'must be an address without a slash at its end')),
  user: z.string().check(z.regex(/^[a-z0-9]+$/)),
  token: z.optional(z.string().check(z.minLength(1))),
  open: z.boolean(),
});

/** A server's token is opened by those who speak to hosting servers, and by nobody else. */
const context = (name: string) => ({ hostingServer: name });

/** Adds a server or changes one; answers without its token. For operators and seeding. */
export async function setServer(
  deps: Deps & { secrets: Secrets },
  { token, ...server }: z.output<typeof ServerInput>,
): Promise<Omit<z.output<typeof ServerInput>, 'token'>> {
  const { name, ...set } = server;
  const sealed = token === undefined ? undefined : await deps.secrets.seal(context(name), token);
  const known = await deps.table.get(HostingServer, { name });
  if (known) {
    await deps.table.transact([change(HostingServer, { name }, { set: sealed ? { ...set, token: sealed } : set })]);
  } else {
    if (!sealed) throw new Error(`the new server ${name} needs a token`);
    await deps.table.transact([create(HostingServer, { ...server, token: sealed })]);
  }
  return server;
}

/** A server for a new account: one of those that take any, so that they fill up evenly. */
export async function chooseServer(deps: Pick<Deps, 'table'>, subscriptionId: string): Promise<string> {
  const open = (await deps.table.all(HostingServer, HOSTING_SERVERS)).filter((server) => server.open);
  // By the id's random end, so that a repeat finds the same one while nothing has changed.
  const chosen = open[Number.parseInt(Buffer.from(subscriptionId.slice(-4)).toString('hex'), 16) % open.length];
  if (!chosen) throw new Error('no hosting server takes new accounts');
  return chosen.name;
}

/** How long a warm instance goes by what it knows of a server, in milliseconds. */
const KNOWN_FOR = 30_000;
const known = new Map<string, { until: number; server: Promise<PanelServer> }>();

async function read(deps: Deps & { secrets: Secrets }, name: string): Promise<PanelServer> {
  const server = await deps.table.get(HostingServer, { name });
  if (!server) throw new Error(`there is no hosting server ${name}`);
  const { baseUrl, user, token } = server;
  return { baseUrl, user, token: await deps.secrets.unseal(context(name), token) };
}

/** How a server is spoken to. */
export function findServer(deps: Deps & { secrets: Secrets }, name: string): Promise<PanelServer> {
  const now = deps.now().getTime();
  const found = known.get(name);
  if (found && found.until > now) return found.server;
  const server = read(deps, name);
  known.set(name, { until: now + KNOWN_FOR, server });
  server.catch(() => known.delete(name));
  return server;
}
