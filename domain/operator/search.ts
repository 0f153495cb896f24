import type { searchAccounts as SearchRoute } from '../../contract/operator/accounts.ts';
import type { Input, Output } from '../../contract/route.ts';
import { AccountDeletion } from '../../table/entities/account-data.ts';
import { Account, Credential, Login } from '../../table/entities/accounts.ts';
import { GitAccess, Host } from '../../table/entities/apps.ts';
import { TopUp } from '../../table/entities/billing.ts';
import { HostingDomain } from '../../table/entities/hosting.ts';
import { FailedRequest, Lookup, lookupsOf } from '../../table/entities/lookups.ts';
import { DomainName } from '../../table/entities/registrar.ts';
import { hashKey, isKeyText, KEY_PREFIX_LENGTH } from '../accounts/credentials.ts';
import { NO_ACCOUNT } from '../audit/record.ts';
import type { Caller, Deps } from '../deps.ts';

/** Most results of one search. */
const MAX_FOUND = 25;

type Found = Pick<Lookup, 'kind' | 'accountId' | 'id' | 'by'>;
type Reads = Pick<Deps, 'table'>;

/** An API key, or its beginning, anywhere in a text: operators paste keys with quotes or with the name of a header. */
const KEY_PATTERN = /[sp]k_live_\w*/g;

/** Returns a search text that may be stored: of every API key, only the beginning. */
const redact = (text: string) => text.replaceAll(KEY_PATTERN, (key) => key.slice(0, KEY_PREFIX_LENGTH));

async function byKey({ table }: Reads, text: string): Promise<Found[]> {
  const kind = text.startsWith('sk') ? 'secret' : 'public';
  if (!isKeyText(text, kind)) return await byLookup({ table }, text.slice(0, KEY_PREFIX_LENGTH));
  const found = await table.get(Credential, { hash: hashKey(text) });
  return found ? [{ kind: 'key', accountId: found.accountId, id: found.keyId }] : [];
}

const byLookup = async ({ table }: Reads, text: string): Promise<Found[]> =>
  await table.all(Lookup, lookupsOf(text), { limit: MAX_FOUND });

/** Finds accounts by the host name of an application, of a registered domain, or of web hosting. An unknown name is found by its parent. */
async function byHostName({ table }: Reads, name: string): Promise<Found[]> {
  const [host, domain, hosting] = await Promise.all([
    table.get(Host, { host: name }),
    table.get(DomainName, { name }),
    table.get(HostingDomain, { domain: name }),
  ]);
  const found = [
    ...(host ? [{ kind: 'host', accountId: host.accountId, id: host.applicationId }] : []),
    ...(domain ? [{ kind: 'domain', accountId: domain.accountId, id: domain.domainId }] : []),
    ...(hosting ? [{ kind: 'hosting', accountId: hosting.accountId, id: hosting.subscriptionId }] : []),
  ];
  const parent = name.slice(name.indexOf('.') + 1);
  return found.length > 0 || !parent.includes('.') ? found : await byHostName({ table }, parent);
}

/** Finds accounts by an id that is part of a table key. Other resources have a lookup for their id. */
async function byKeyedId({ table }: Reads, id: string): Promise<Found[]> {
  if (id.startsWith('acc_')) return [{ kind: 'account', accountId: id, id }];
  if (id.startsWith('app_')) {
    const access = await table.get(GitAccess, { applicationId: id });
    return access ? [{ kind: 'application', accountId: access.accountId, id }] : [];
  }
  const [login, topUp] = await Promise.all([table.get(Login, { subject: id }), table.get(TopUp, { id })]);
  return [
    ...(login ? [{ kind: 'account', accountId: login.accountId, id: login.accountId }] : []),
    ...(topUp ? [{ kind: 'top-up', accountId: topUp.accountId, id }] : []),
  ];
}

/** Finds the account of a failed request. A request that changed something has a lookup instead. */
async function byFailedRequest({ table }: Reads, requestId: string): Promise<Found[]> {
  const found = await table.get(FailedRequest, { requestId });
  if (!found) return [];
  const { accountId, by } = found;
  return [{ kind: 'request', accountId, id: requestId, ...(by === undefined ? {} : { by }) }];
}

/** Finds everything that a text may identify. */
async function findAll(deps: Reads, text: string): Promise<Found[]> {
  const keys = text.match(KEY_PATTERN);
  if (keys) return (await Promise.all([...new Set(keys)].map((key) => byKey(deps, key)))).flat();
  const searches = [byLookup(deps, text), byKeyedId(deps, text), byFailedRequest(deps, text)];
  const name = URL.canParse(text) ? new URL(text).hostname : text;
  const isHostName = name.includes('.') && !name.includes('@');
  const found = await Promise.all([...searches, ...(isHostName ? [byHostName(deps, name.toLowerCase())] : [])]);
  return found.flat();
}

/** POST /operator/v1/search. The audit entry contains the redacted query and the accounts that were found. */
export async function searchAccounts(
  deps: Deps,
  _: Caller,
  { query }: Input<typeof SearchRoute>,
): Promise<Output<typeof SearchRoute>> {
  const found = await findAll(deps, query);
  const unique = [...new Map(found.map((each) => [`${each.accountId} ${each.id}`, each])).values()].slice(0, MAX_FOUND);
  const [accounts, deletions] = await Promise.all([
    Promise.all(unique.map(({ accountId: id }) => deps.table.get(Account, { id }))),
    Promise.all(unique.map(({ accountId }) => deps.table.get(AccountDeletion, { accountId }))),
  ]);
  const data = unique.flatMap(({ kind, id, by = null }, index) => {
    const account = accounts[index];
    if (!account) return [];
    const { email, name, suspension } = account;
    const deletedAt = deletions[index]?.deletedAt ?? null;
    return [{ kind, id, by, account: { id: account.id, email, name, suspended: suspension !== undefined, deletedAt } }];
  });
  const ids = [...new Set(data.map(({ account }) => account.id))];
  const change = { action: 'accounts.searched' as const, accountId: NO_ACCOUNT, subjectId: NO_ACCOUNT };
  return await deps.commit([], { data }, { ...change, after: { query: redact(query), found: ids } });
}
