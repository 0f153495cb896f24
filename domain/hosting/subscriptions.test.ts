import { expect, test } from 'vitest';
import { AuditEntry } from '../../table/entities/audit.ts';
import { HostingAccount, HostingServer } from '../../table/entities/hosting.ts';
import { change } from '../../table/writes.ts';
import { hostingSimulation } from '../../test/simulation/hosting.ts';
import { BY_OPERATOR, committing } from '../audit/record.ts';
import { reconcileHostingAccount } from './accounts.ts';
import { listServers, ServerInput, setServer } from './servers.ts';
import { getHostingDomain } from './subscriptions.ts';

const ADDRESSES = { address: '192.0.2.10', mailHost: 'web-1.example.net' };

test('an owner is shown the records by which a domain points to its server, of email hosting those of mail alone', async () => {
  const { deps, set, subscribe } = await hostingSimulation();
  await set('web-1', true);
  const web = await subscribe({ hostingDomain: 'shop.co.za' });
  const plan = { slug: 'email-basic', name: 'Email Basic', category: 'EMAIL' } as const;
  const email = await subscribe({ hostingDomain: 'mail.co.za', plan });
  const recordsOf = async ({ id }: { id: string }) =>
    (await getHostingDomain(deps, { accountId: 'acc_1', keyId: '' }, { id })).data.records;
  expect(await recordsOf(web), 'without a server').toEqual([]);
  for (const each of [web, email]) await reconcileHostingAccount(deps, each);
  expect(await recordsOf(web), 'of a server whose addresses are not known').toEqual([]);
  const server = { name: 'web-1', baseUrl: 'https://web-1.example.net:2087', user: 'root', open: true };
  await setServer(deps, ServerInput.parse({ ...server, ...ADDRESSES }));
  expect(await recordsOf(web)).toEqual([
    { type: 'A', name: 'shop.co.za', value: '192.0.2.10', prio: null },
    { type: 'A', name: 'www.shop.co.za', value: '192.0.2.10', prio: null },
    { type: 'MX', name: 'shop.co.za', value: 'web-1.example.net', prio: 10 },
    { type: 'TXT', name: 'shop.co.za', value: 'v=spf1 mx a:web-1.example.net ~all', prio: null },
  ]);
  expect((await recordsOf(email)).map(({ type }) => type)).toEqual(['MX', 'TXT']);
  await deps.table.write(
    HostingAccount,
    change(HostingAccount, { accountId: 'acc_1', id: web.id }, { set: { status: 'REMOVED' } }),
  );
  expect(await recordsOf(web), 'of hosting that has ended').toEqual([]);
  const { name: _, ...rest } = server;
  const shown = { name: 'web-1', ...rest, ...ADDRESSES, open: false };
  expect(await setServer(deps, ServerInput.parse({ name: 'web-1', open: false })), 'closed alone').toEqual(shown);
  const stored = await deps.table.get(HostingServer, { name: 'web-1' });
  expect(stored).toMatchObject(shown);
  expect(await setServer(deps, ServerInput.parse({ name: 'web-1', token: 'new' }))).toEqual(shown);
  expect(await deps.table.get(HostingServer, { name: 'web-1' })).not.toEqual(stored);
  await set('web-2', true);
  const second = { name: 'web-2', baseUrl: 'https://web-2.example.net:2087', user: 'root', open: true };
  expect(await listServers(deps)).toEqual([shown, second]);
});

test('the audit log names each setting of a server that an operator changed, and no other', async () => {
  const { deps, memory } = await hostingSimulation();
  const operator = { ...deps, commit: committing(deps, BY_OPERATOR) };
  const settings = { baseUrl: 'https://web-1.example.net:2087', user: 'root', open: true };
  await setServer(operator, ServerInput.parse({ name: 'web-1', token: 'secret', ...settings }));
  for (const change of [ADDRESSES, { open: false }, { token: 'new' }])
    await setServer(operator, ServerInput.parse({ name: 'web-1', ...change }));
  const entries = memory.items('AUDIT').map((item) => AuditEntry.parse(item));
  expect(entries.map(({ before, after }) => [before, after])).toEqual([
    [null, settings],
    [null, ADDRESSES],
    [{ open: true }, { open: false }],
    [null, null],
  ]);
});
