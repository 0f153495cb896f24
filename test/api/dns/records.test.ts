import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  addDnsRecord,
  deleteDnsRecord,
  listDnsRecords,
  MAX_RECORDS,
  replaceDnsRecord,
} from '../../../contract/dns/records.ts';
import { orderDomain } from '../../../contract/registrar/orders.ts';
import { findDomain, registerDomain, registrant, uniqueDomain } from '../../support/domains.ts';
import { codeOf, newAccount, type OpenedAccount, raw } from '../../support/harness.ts';

type Body = Record<string, unknown>;

/** Opens an account with a registered domain. */
async function owner() {
  const account = await newAccount({ walletCents: 500_000 });
  const { domain } = await registerDomain(account);
  return { account, id: domain.id, name: domain.name };
}

async function post({ account, id }: { account: OpenedAccount; id: string }, body: Body) {
  const headers = { authorization: `Bearer ${account.secretKey}` };
  const answer = await raw(`/v1/domains/${id}/dns`, { method: 'POST', headers, body: JSON.stringify(body) });
  const { data, error } = (await answer.json()) as { data?: object; error?: { code: string; message: string } };
  return { status: answer.status, data, error };
}
const list = async ({ account, id }: { account: OpenedAccount; id: string }) =>
  (await account.call(listDnsRecords, { params: { id } })).body;

const A = { type: 'A', name: 'www', content: '192.0.2.1' };
const long = (length: number) => 'a'.repeat(length);

describe('valid records', () => {
  let mine: Awaited<ReturnType<typeof owner>>;
  beforeAll(async () => {
    mine = await owner();
  });

  test.each<[string, Body, Body?]>([
    ['an address', A, { ttl: 3600, prio: 0 }],
    ['a second address of the same name', { ...A, content: '192.0.2.2', ttl: 60 }, { ttl: 60 }],
    ['an address of the domain itself', { type: 'A', content: '192.0.2.1', ttl: 86_400 }, { name: '', ttl: 86_400 }],
    ['IPv6, kept in short', { ...A, type: 'AAAA', content: '2001:0DB8:0:0::1' }, { content: '2001:db8::1' }],
    [
      'an alias',
      { type: 'CNAME', name: 'Blog', content: 'Pages.Example.net.' },
      { name: 'blog', content: 'pages.example.net' },
    ],
    ['an alias to a name with underscores', { type: 'CNAME', name: '_a.mail', content: '_b.acm.example.net' }],
    ['mail', { type: 'MX', content: 'mail.example.net', prio: 10 }, { prio: 10 }],
    ['mail of the first rank', { type: 'MX', content: 'mx0.example.net', prio: 0 }, { prio: 0 }],
    ['no mail', { type: 'MX', name: 'silent', content: '.', prio: 0 }],
    ['a text', { type: 'TXT', content: 'v=spf1 include:_spf.example.net ~all' }],
    ['a text with quotes and a backslash inside', { type: 'TXT', name: 'odd', content: 'say "hi" \\ bye' }],
    ['a text of 2,048 characters', { type: 'TXT', name: 'long', content: long(2048) }],
    ['a text in another script', { type: 'TXT', name: 'script', content: 'Sawubona ☀ 你好' }],
    ['a service', { type: 'SRV', name: '_sip._tcp', content: '5 5060 sip.example.net', prio: 0 }],
    ['a service that there is not', { type: 'SRV', name: '_imap._tcp', content: '0 0 .', prio: 0 }],
    ['an authority', { type: 'CAA', content: '0 issue "letsencrypt.org"' }],
    [
      'an authority without quotes, which we add',
      { type: 'CAA', content: '128 issuewild ;' },
      { content: '128 issuewild ";"' },
    ],
    ['where to report', { type: 'CAA', content: '0 iodef "mailto:sec@example.net"' }],
    ['name servers of a part', { type: 'NS', name: 'part', content: 'ns1.example.net' }],
    ['everything else', { type: 'A', name: '*', content: '192.0.2.9' }, { name: '*' }],
    ['everything else of a part', { type: 'A', name: '*.dev', content: '192.0.2.9' }],
    ['a label with an underscore', { type: 'TXT', name: '_dmarc', content: 'v=DMARC1; p=none' }],
    ['a label of 63 characters', { type: 'A', name: long(63), content: '192.0.2.1' }],
    ['a priority that the type does not have', { type: 'A', name: 'prio', content: '192.0.2.1', prio: 5 }, { prio: 0 }],
  ])('%s', async (_what, body, shown = {}) => {
    const expected = { name: '', ttl: 3600, prio: 0, ...body, ...shown };
    let answer = await post(mine, body);
    if (answer.status === 409) {
      // A failed attempt has stored it.
      for (const { id: recordId, ...stored } of (await list(mine)).data)
        if (isDeepStrictEqual(stored, expected))
          await mine.account.call(deleteDnsRecord, { params: { id: mine.id, recordId } });
      answer = await post(mine, body);
    }
    expect(answer).toMatchObject({ status: 201, data: { ok: true } });
    const { data, provider } = await list(mine);
    expect([provider, data[0]]).toEqual(['PLATFORM', { id: expect.stringMatching(/^rec_/), ...expected }]);
  });
});

test('a name may have the domain, as instructions of others print it', async () => {
  const mine = await owner();
  expect((await post(mine, { ...A, type: 'TXT', name: `_dmarc.Sub.${mine.name}.`, content: 'x' })).status).toBe(201);
  expect((await list(mine)).data[0]).toMatchObject({ name: '_dmarc.sub' });
});

describe('invalid records', () => {
  const bad: [string, Body, string][] = [
    ['no type', { ...A, type: undefined }, 'type'],
    ['an unknown type', { ...A, type: 'PTR' }, 'type'],
    ['a type in lower case', { ...A, type: 'a' }, 'type'],
    ['SOA', { ...A, type: 'SOA' }, 'type'],
    ['no content', { ...A, content: undefined }, 'content'],
    ['empty content', { ...A, content: '' }, 'content'],
    ['blank content', { ...A, content: '   ' }, 'content'],
    ['content that is a number', { ...A, content: 5 }, 'content'],
    ['a ttl under a minute', { ...A, ttl: 59 }, 'ttl'],
    ['a ttl over a day', { ...A, ttl: 86_401 }, 'ttl'],
    ['a ttl of half a second more', { ...A, ttl: 3600.5 }, 'ttl'],
    ['a ttl as text', { ...A, ttl: '3600' }, 'ttl'],
    ['no ttl at all: null', { ...A, ttl: null }, 'ttl'],
    ['a name that is a number', { ...A, name: 5 }, 'name'],
    ['a name with a space', { ...A, name: 'my www' }, 'name'],
    ['@ for the domain itself', { ...A, name: '@' }, 'name'],
    ['a dot at the end', { ...A, name: 'www.' }, 'name'],
    ['a dot first', { ...A, name: '.www' }, 'name'],
    ['two dots', { ...A, name: 'a..b' }, 'name'],
    ['a hyphen first', { ...A, name: '-www' }, 'name'],
    ['a hyphen last', { ...A, name: 'www-' }, 'name'],
    ['a label of 64 characters', { ...A, name: long(64) }, 'name'],
    ['a name of 250 characters', { ...A, name: Array(125).fill('a').join('.') }, 'name'],
    ['a letter that is not ASCII', { ...A, name: 'café' }, 'name'],
    ['a slash', { ...A, name: 'a/b' }, 'name'],
    ['* inside', { ...A, name: 'www.*' }, 'name'],
    ['* within a label', { ...A, name: 'w*' }, 'name'],
    ['two *', { ...A, name: '*.*' }, 'name'],
    ['an address of three numbers', { ...A, content: '192.0.2' }, 'content'],
    ['an address of five numbers', { ...A, content: '192.0.2.1.1' }, 'content'],
    ['an address over 255', { ...A, content: '192.0.2.256' }, 'content'],
    ['an address with leading zeros', { ...A, content: '192.0.02.1' }, 'content'],
    ['an address with a port', { ...A, content: '192.0.2.1:80' }, 'content'],
    ['a network', { ...A, content: '192.0.2.0/24' }, 'content'],
    ['a name for an address', { ...A, content: 'example.net' }, 'content'],
    ['IPv6 in an A record', { ...A, content: '2001:db8::1' }, 'content'],
    ['IPv4 in an AAAA record', { ...A, type: 'AAAA', content: '192.0.2.1' }, 'content'],
    ['IPv6 in brackets', { ...A, type: 'AAAA', content: '[2001:db8::1]' }, 'content'],
    ['IPv6 with two gaps', { ...A, type: 'AAAA', content: '2001::db8::1' }, 'content'],
    ['IPv6 with an interface', { ...A, type: 'AAAA', content: 'fe80::1%eth0' }, 'content'],
    ['IPv6 of nine groups', { ...A, type: 'AAAA', content: '1:2:3:4:5:6:7:8:9' }, 'content'],
    ['an alias of the domain itself', { type: 'CNAME', name: '', content: 'example.net' }, 'name'],
    ['an alias to an address', { type: 'CNAME', name: 'a', content: '192.0.2.1' }, 'content'],
    ['an alias to a URL', { type: 'CNAME', name: 'a', content: 'https://example.net' }, 'content'],
    ['an alias to a bare label', { type: 'CNAME', name: 'a', content: 'example' }, 'content'],
    ['an alias to nothing but a dot', { type: 'CNAME', name: 'a', content: '.' }, 'content'],
    ['an alias to a name with a space', { type: 'CNAME', name: 'a', content: 'exa mple.net' }, 'content'],
    ['mail without a priority', { type: 'MX', content: 'mail.example.net' }, 'prio'],
    ['mail with a priority of text', { type: 'MX', content: 'mail.example.net', prio: '10' }, 'prio'],
    ['mail with a priority below zero', { type: 'MX', content: 'mail.example.net', prio: -1 }, 'prio'],
    ['mail with a priority over 65535', { type: 'MX', content: 'mail.example.net', prio: 65_536 }, 'prio'],
    ['mail with half a priority', { type: 'MX', content: 'mail.example.net', prio: 0.5 }, 'prio'],
    ['mail to an address', { type: 'MX', content: '192.0.2.1', prio: 10 }, 'content'],
    ['mail with the priority inside', { type: 'MX', content: '10 mail.example.net', prio: 10 }, 'content'],
    ['a service without a priority', { type: 'SRV', name: '_a._tcp', content: '5 5060 sip.example.net' }, 'prio'],
    [
      'a service without a weight',
      { type: 'SRV', name: '_a._tcp', content: '5060 sip.example.net', prio: 1 },
      'content',
    ],
    [
      'a service with all four',
      { type: 'SRV', name: '_a._tcp', content: '1 5 5060 sip.example.net', prio: 1 },
      'content',
    ],
    [
      'a service at port 65536',
      { type: 'SRV', name: '_a._tcp', content: '5 65536 sip.example.net', prio: 1 },
      'content',
    ],
    [
      'a service of negative weight',
      { type: 'SRV', name: '_a._tcp', content: '-5 1 sip.example.net', prio: 1 },
      'content',
    ],
    ['a service at an address', { type: 'SRV', name: '_a._tcp', content: '5 5060 192.0.2.1', prio: 1 }, 'content'],
    ['a text of 2,049 characters', { type: 'TXT', content: long(2049) }, 'content'],
    ['a text in quotes', { type: 'TXT', content: '"v=spf1 -all"' }, 'content'],
    ['a text of two lines', { type: 'TXT', content: 'one\ntwo' }, 'content'],
    ['a text with a NUL', { type: 'TXT', content: 'one\0two' }, 'content'],
    ['half a character', { type: 'TXT', content: 'one\ud800two' }, 'content'],
    ['an authority without flags', { type: 'CAA', content: 'issue "letsencrypt.org"' }, 'content'],
    ['an authority with flags over 255', { type: 'CAA', content: '256 issue "letsencrypt.org"' }, 'content'],
    ['an authority with a tag that there is not', { type: 'CAA', content: '0 issues "letsencrypt.org"' }, 'content'],
    ['an authority without a value', { type: 'CAA', content: '0 issue' }, 'content'],
    ['an authority with half a quote', { type: 'CAA', content: '0 issue "letsencrypt.org' }, 'content'],
    ['a report to nowhere', { type: 'CAA', content: '0 iodef "sec@example.net"' }, 'content'],
    ['name servers of the domain itself', { type: 'NS', name: '', content: 'ns1.example.net' }, 'name'],
    ['name servers of everything else', { type: 'NS', name: '*', content: 'ns1.example.net' }, 'name'],
    ['a name server by its address', { type: 'NS', name: 'part', content: '192.0.2.1' }, 'content'],
  ];

  test(`${bad.length} invalid records are 400 naming the field, and none is stored`, async () => {
    expect(bad.length).toBeGreaterThanOrEqual(60);
    const mine = await owner();
    for (const [what, body, field] of bad) {
      const { status, error } = await post(mine, body);
      expect([what, status, error?.code]).toEqual([what, 400, 'invalid_request']);
      expect([what, error?.message.split(':')[0]]).toEqual([what, field]);
    }
    expect((await list(mine)).data).toEqual([]);
  });

  test('a conflict with other records is 409', async () => {
    const mine = await owner();
    expect((await post(mine, A)).status).toBe(201);
    expect((await post(mine, { type: 'CNAME', name: 'blog', content: 'example.net' })).status).toBe(201);
    for (const body of [
      A,
      { ...A, name: 'WWW', ttl: 60 },
      { type: 'CNAME', name: 'www', content: 'example.net' },
      { type: 'CNAME', name: 'blog', content: 'example.org' },
      { type: 'CNAME', name: 'blog', content: 'EXAMPLE.net.' },
      { type: 'TXT', name: 'blog', content: 'beside an alias' },
    ]) {
      const { status, error } = await post(mine, body);
      expect([body, status, error?.code]).toEqual([body, 409, 'conflict']);
    }
  });
});

test('a record is replaced in one step, only by its owner, under the rules of new records', async () => {
  const mine = await owner();
  await post(mine, A);
  await post(mine, { type: 'A', name: 'other', content: '192.0.2.9' });
  const record = (await list(mine)).data.find(({ name }) => name === 'www');
  const params = { id: mine.id, recordId: record?.id ?? '' };
  const replace = (account: OpenedAccount, body: object, of = params) =>
    account.dashboard.call(replaceDnsRecord, { params: of, body: body as { type: 'A'; content: string } });
  const alias = { type: 'CNAME', name: 'www', content: 'target.example.com', ttl: 60 };
  expect((await replace(mine.account, alias)).body).toEqual({ data: { ok: true } });
  const stored = { id: record?.id, type: 'CNAME', content: 'target.example.com', ttl: 60 };
  expect((await list(mine)).data).toEqual(expect.arrayContaining([expect.objectContaining(stored)]));
  expect(codeOf(await replace(mine.account, { ...A, name: 'other', content: '192.0.2.9' }))).toBe('conflict');
  expect((await replace(mine.account, { ...alias, name: '' })).error?.message).toMatch(/^name: /);
  expect((await replace(await newAccount(), alias)).status).toBe(404);
  expect((await replace(mine.account, alias, { ...params, recordId: 'rec_none' })).status).toBe(404);
  expect((await list(mine)).data).toHaveLength(2);
});

test('a record is deleted once, by its owner only', async () => {
  const mine = await owner();
  await post(mine, A);
  const [record] = (await list(mine)).data;
  const params = { id: mine.id, recordId: record?.id ?? '' };
  const stranger = await newAccount();
  for (const [account, of] of [
    [stranger, params],
    [mine.account, { ...params, recordId: 'rec_none' }],
    [mine.account, { ...params, id: 'dom_none' }],
  ] as const) {
    const answer = await account.call(deleteDnsRecord, { params: of });
    expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found']);
  }
  expect(await post({ account: stranger, id: mine.id }, A)).toMatchObject({
    status: 404,
    error: { code: 'not_found' },
  });
  expect((await mine.account.call(deleteDnsRecord, { params })).body).toEqual({ data: { ok: true } });
  expect((await mine.account.call(deleteDnsRecord, { params })).status).toBe(404);
  expect((await list(mine)).data).toEqual([]);
});

test('of twenty concurrent aliases and other records of one name, the remaining set is valid', async () => {
  const mine = await owner();
  const bodies = Array.from({ length: 20 }, (_, index) =>
    index % 2
      ? { ...A, content: `192.0.2.${index}` }
      : { type: 'CNAME', name: 'www', content: `n${index}.example.net` },
  );
  const answers = await Promise.all(bodies.map((body) => post(mine, body)));
  for (const { status } of answers) expect([201, 409]).toContain(status);
  const types = (await list(mine)).data.map(({ type }) => type);
  expect(types).toHaveLength(answers.filter(({ status }) => status === 201).length);
  expect(types.includes('CNAME') ? types : ['CNAME']).toEqual(['CNAME']);
});

test('a domain with external name servers rejects changes of records', async () => {
  const account = await newAccount({ walletCents: 500_000 });
  const nameservers = ['ns1.example.net', 'ns2.example.net'];
  const { domain } = await registerDomain(account, uniqueDomain(), { nameservers });
  const of = { account, id: domain.id };
  expect(await list(of)).toEqual({ data: [], has_more: false, provider: 'EXTERNAL' });
  expect(await post(of, A)).toMatchObject({ status: 409, error: { code: 'conflict' } });
  const params = { id: domain.id, recordId: 'rec_none' };
  expect((await account.call(deleteDnsRecord, { params })).status).toBe(409);
});

test('accepts records while the domain is unpaid; requires the scopes', async () => {
  const account = await newAccount();
  const name = uniqueDomain();
  await account.call(orderDomain, { body: { domain: name, registrant } });
  const { id } = await findDomain(account, name);
  expect((await post({ account, id }, A)).status).toBe(201);
  const reader = await newAccount({ scopes: ['read', 'write'] });
  const body = { type: 'A' as const, name: 'www', content: '192.0.2.1' };
  const refused = await reader.call(addDnsRecord, { params: { id }, body });
  expect([refused.status, codeOf(refused)]).toEqual([403, 'insufficient_scope']);
});

test('limits the records of a domain', () => {
  expect(MAX_RECORDS).toBe(500);
});
