import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { type Answer, type DecodedPacket, decode, encode, RECURSION_DESIRED, type RecordType } from 'dns-packet';
import { beforeAll, expect, test } from 'vitest';
import { addDnsRecord, deleteDnsRecord, listDnsRecords } from '../../contract/dns/records.ts';
import type { CallerInput } from '../../contract/route.ts';
import { registerDomain } from '../support/domains.ts';
import { local, newAccount, type OpenedAccount, waitFor } from '../support/harness.ts';

const { host, port } = local.dns;

/** Returns the response to one UDP packet, or undefined after a time-out. */
function exchange(packet: Buffer, timeoutMs = 30_000): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    const end = (answer?: Buffer) => {
      clearTimeout(timer);
      socket.close();
      resolve(answer);
    };
    const timer = setTimeout(end, timeoutMs);
    socket.on('message', end);
    socket.on('error', reject);
    socket.send(packet, port, host);
  });
}

const query = (name: string, type: RecordType, more: object = {}) =>
  encode({ type: 'query', id: 4711, flags: RECURSION_DESIRED, questions: [{ type, name }], ...more });

async function ask(name: string, type: RecordType): Promise<DecodedPacket> {
  const answer = await exchange(query(name, type));
  if (!answer) throw new Error('the name server is silent');
  return decode(answer);
}

const overTcp = (name: string, type: RecordType): Promise<DecodedPacket> =>
  new Promise((resolve, reject) => {
    const packet = query(name, type);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(packet.length);
    const chunks: Buffer[] = [];
    const socket = connect(port, host, () => socket.write(Buffer.concat([length, packet])));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const all = Buffer.concat(chunks);
      if (all.length < 2 || all.length < 2 + all.readUInt16BE()) return;
      socket.destroy();
      resolve(decode(all.subarray(2)));
    });
  });

const dataOf = (answers: Answer[] = []) => answers.flatMap((each) => ('data' in each ? [each.data] : []));
const rcodeOf = (packet: DecodedPacket) => (packet as DecodedPacket & { rcode: string }).rcode;

type NewRecord = NonNullable<CallerInput<typeof addDnsRecord>['body']>;

let account: OpenedAccount;
let id: string;
let domain: string;
const add = (body: NewRecord) => account.call(addDnsRecord, { params: { id }, body });
/** Repeats a query until the response matches. */
const waitForAnswer = (name: string, type: RecordType, right: (packet: DecodedPacket) => boolean) =>
  waitFor(async () => {
    const packet = await ask(name, type);
    return right(packet) && packet;
  });
const present = (packet: DecodedPacket) => (packet.answers?.length ?? 0) > 0;

beforeAll(async () => {
  account = await newAccount({ walletCents: 500_000 });
  ({ id, name: domain } = (await registerDomain(account)).domain);
  const records: NewRecord[] = [
    { type: 'A', name: '', content: '192.0.2.1' },
    { type: 'A', name: 'www', content: '192.0.2.2', ttl: 300 },
    { type: 'A', name: 'www', content: '192.0.2.3', ttl: 600 },
    { type: 'AAAA', name: 'www', content: '2001:db8::1' },
    { type: 'CNAME', name: 'blog', content: `www.${domain}` },
    { type: 'CNAME', name: 'shop', content: 'shops.example.net' },
    { type: 'CNAME', name: 'circle', content: `circle2.${domain}` },
    { type: 'CNAME', name: 'circle2', content: `circle.${domain}` },
    { type: 'MX', name: '', content: 'mail.example.net', prio: 10 },
    { type: 'MX', name: 'silent', content: '.', prio: 0 },
    { type: 'TXT', name: '', content: 'v=spf1 -all' },
    { type: 'TXT', name: 'odd', content: 'say "hi" \\ ☀ bye' },
    { type: 'TXT', name: 'long', content: 'x'.repeat(2048) },
    { type: 'SRV', name: '_sip._tcp', content: '5 5060 sip.example.net', prio: 1 },
    { type: 'CAA', name: '', content: '0 issue "letsencrypt.org"' },
    { type: 'NS', name: 'part', content: 'ns1.example.net' },
    { type: 'A', name: '*.wild', content: '192.0.2.9' },
    { type: 'A', name: 'a.deep', content: '192.0.2.8' },
  ];
  for (const record of records) expect((await add(record)).status).toBe(201);
  await waitForAnswer(`a.deep.${domain}`, 'A', present);
});

test('answers every type with authority, in the queried case', async () => {
  const packet = await ask(`WwW.${domain}`, 'A');
  expect(packet).toMatchObject({ id: 4711, flag_qr: true, flag_aa: true, flag_rd: true, flag_ra: false });
  expect(packet.questions?.[0]?.name).toBe(`WwW.${domain}`);
  expect(packet.answers?.map(({ name }) => name)).toEqual([`WwW.${domain}`, `WwW.${domain}`]);
  expect(dataOf(packet.answers).sort()).toEqual(['192.0.2.2', '192.0.2.3']);
  // A record set has one TTL: the shortest of its records.
  expect(packet.answers?.map((each) => 'ttl' in each && each.ttl)).toEqual([300, 300]);
  expect(dataOf((await ask(`www.${domain}`, 'AAAA')).answers)).toEqual(['2001:db8::1']);
  expect(dataOf((await ask(domain, 'MX')).answers)).toEqual([{ preference: 10, exchange: 'mail.example.net' }]);
  expect(dataOf((await ask(`silent.${domain}`, 'MX')).answers)).toEqual([{ preference: 0, exchange: '.' }]);
  expect(dataOf((await ask(domain, 'TXT')).answers)).toEqual([[Buffer.from('v=spf1 -all')]]);
  expect(dataOf((await ask(`odd.${domain}`, 'TXT')).answers)).toEqual([[Buffer.from('say "hi" \\ ☀ bye')]]);
  const [service] = dataOf((await ask(`_sip._tcp.${domain}`, 'SRV')).answers);
  expect(service).toEqual({ priority: 1, weight: 5, port: 5060, target: 'sip.example.net' });
  expect(dataOf((await ask(domain, 'CAA')).answers)[0]).toMatchObject({
    flags: 0,
    tag: 'issue',
    value: 'letsencrypt.org',
  });
  expect(dataOf((await ask(domain, 'NS')).answers)).toHaveLength(4);
  expect(dataOf((await ask(domain, 'SOA')).answers)).toHaveLength(1);
});

test('follows aliases inside the zone, leaves others to the resolver, and stops at loops', async () => {
  const inside = await ask(`blog.${domain}`, 'A');
  expect(inside.answers?.map(({ type }) => type)).toEqual(['CNAME', 'A', 'A']);
  expect(dataOf((await ask(`shop.${domain}`, 'A')).answers)).toEqual(['shops.example.net']);
  expect(dataOf((await ask(`blog.${domain}`, 'CNAME')).answers)).toEqual([`www.${domain}`]);
  expect(rcodeOf(await ask(`circle.${domain}`, 'A'))).toBe('NOERROR');
});

test('distinguishes NXDOMAIN from NODATA, both with the SOA', async () => {
  const none = await ask(`none.${domain}`, 'A');
  const nothing = await ask(`www.${domain}`, 'MX');
  const between = await ask(`deep.${domain}`, 'A');
  expect([none, nothing, between].map(rcodeOf)).toEqual(['NXDOMAIN', 'NOERROR', 'NOERROR']);
  for (const { answers, authorities } of [none, nothing, between]) {
    expect(answers).toEqual([]);
    // As Route 53: the time for which resolvers keep a negative answer is the lower of both (RFC 2308, section 3).
    expect(authorities).toMatchObject([{ type: 'SOA', ttl: 900, data: { minimum: 86_400 } }]);
  }
});

test('a wildcard answers for missing names, in the queried name', async () => {
  const packet = await ask(`any.thing.wild.${domain}`, 'A');
  expect(packet.answers).toMatchObject([{ name: `any.thing.wild.${domain}`, data: '192.0.2.9' }]);
  expect(rcodeOf(await ask(`wild.${domain}`, 'A'))).toBe('NOERROR');
});

test('refers delegated subdomains to their name servers, without authority', async () => {
  const packet = await ask(`x.part.${domain}`, 'A');
  expect(packet).toMatchObject({ flag_aa: false, answers: [] });
  expect(packet.authorities).toMatchObject([{ type: 'NS', name: `part.${domain}`, data: 'ns1.example.net' }]);
});

test('truncates long UDP responses; TCP and EDNS clients get them whole', async () => {
  const cut = await ask(`long.${domain}`, 'TXT');
  expect([cut.flag_tc, cut.answers]).toEqual([true, []]);
  const whole = await overTcp(`long.${domain}`, 'TXT');
  const [parts] = dataOf(whole.answers) as Buffer[][];
  expect(Buffer.concat(parts ?? []).toString()).toBe('x'.repeat(2048));
  const options = [
    {
      type: 'OPT',
      name: '.',
      udpPayloadSize: 4096,
      extendedRcode: 0,
      ednsVersion: 0,
      flags: 0,
      flag_do: false,
      options: [],
    },
  ];
  const answer = await exchange(query(`long.${domain}`, 'TXT', { additionals: options }));
  const large = decode(answer ?? Buffer.alloc(0));
  expect(dataOf(large.answers)).toHaveLength(1);
  expect(large.additionals?.map(({ type }) => type)).toEqual(['OPT']);
});

test('refuses other zones', async () => {
  expect(rcodeOf(await ask('example.org', 'A'))).toBe('REFUSED');
});

test('answers malformed queries with an error or not at all, and keeps running', async () => {
  const garbage: Buffer[] = [
    Buffer.alloc(0),
    Buffer.from([1]),
    Buffer.alloc(12, 0xff),
    Buffer.alloc(300, 0xc0),
    Buffer.from('GET / HTTP/1.1'),
  ];
  const questions = Buffer.alloc(12);
  questions.writeUInt16BE(65_535, 4);
  // A name that points to itself.
  const circle = Buffer.concat([
    Buffer.from([0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]),
    Buffer.from([0xc0, 12, 0, 1, 0, 1]),
  ]);
  for (let length = 1; length < 40; length += 1) garbage.push(query(`www.${domain}`, 'A').subarray(0, length));
  const answers = await Promise.all([...garbage, questions, circle].map((packet) => exchange(packet, 500)));
  for (const answer of answers)
    if (answer) expect(['FORMERR', 'NOTIMP', 'SERVFAIL', 'REFUSED', 'NOERROR']).toContain(rcodeOf(decode(answer)));
  expect(present(await ask(`www.${domain}`, 'A'))).toBe(true);
  const socket = connect(port, host, () => socket.end(Buffer.from([0xff, 0xff, 1, 2, 3])));
  await new Promise((done) => socket.on('close', done));
  expect(present(await overTcp(`www.${domain}`, 'A'))).toBe(true);
});

test('a deleted record disappears from the name servers; its record set stays until its last record is deleted', async () => {
  const { data } = (await account.call(listDnsRecords, { params: { id } })).body;
  const remove = async (content: string) => {
    const recordId = data.find((each) => each.content === content)?.id;
    // A failed attempt has deleted it.
    if (recordId === undefined) return;
    expect((await account.call(deleteDnsRecord, { params: { id, recordId } })).status).toBe(200);
  };
  await remove('192.0.2.3');
  const left = await waitForAnswer(`www.${domain}`, 'A', ({ answers }) => answers?.length === 1);
  expect(dataOf(left.answers)).toEqual(['192.0.2.2']);
  await remove('192.0.2.8');
  await waitForAnswer(`a.deep.${domain}`, 'A', (packet) => rcodeOf(packet) === 'NXDOMAIN');
});

test('the name servers hold the last of racing changes', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `race${index}`);
  await Promise.all(names.map((name) => add({ type: 'A', name, content: '192.0.2.50' })));
  const { data } = (await account.call(listDnsRecords, { params: { id } })).body;
  const gone = data.filter(({ name }) => /^race\d*[02468]$/.test(name));
  await Promise.all(gone.map((record) => account.call(deleteDnsRecord, { params: { id, recordId: record.id } })));
  await add({ type: 'TXT', name: 'last', content: 'done' });
  await waitForAnswer(`last.${domain}`, 'TXT', present);
  for (const [index, name] of names.entries()) {
    await waitForAnswer(`${name}.${domain}`, 'A', (packet) => present(packet) === (index % 2 === 1));
  }
});
