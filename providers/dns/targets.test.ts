import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode } from 'dns-packet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDnsResolver, type DnsResolver } from './targets.ts';

const EDGE = 'd111.cloudfront.net';
const CNAMES: Record<string, string> = {
  'www.mine.example': EDGE,
  'shop.mine.example': 'WWW.mine.example',
  'away.mine.example': 'shops.elsewhere.example',
  'loop.mine.example': 'back.mine.example',
  'back.mine.example': 'loop.mine.example',
  'broken.mine.example': 'silent.mine.example',
  ...Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`n${at}.mine.example`, `n${at + 1}.mine.example`])),
};
const RCODES = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 };

/** A name server of `mine.example` that refuses other zones, as that of the local run. */
const socket = createSocket('udp4');
let resolver: DnsResolver;
beforeAll(async () => {
  socket.on('message', (message, { port, address }) => {
    const { id, questions = [] } = decode(message);
    const { name = '', type = 'A' } = questions[0] ?? {};
    const data = CNAMES[name.toLowerCase()];
    const isAddress = name === 'bare.mine.example' && type === 'A';
    const answers = [
      ...(data && type === 'CNAME' ? [{ type: 'CNAME' as const, name, data }] : []),
      ...(isAddress ? [{ type: 'A' as const, name, data: '192.0.2.7' }] : []),
    ];
    const refusal = name.startsWith('silent.') ? RCODES.SERVFAIL : RCODES.NXDOMAIN;
    const flags = !name.endsWith('mine.example') ? RCODES.REFUSED : answers.length > 0 ? 0 : refusal;
    socket.send(encode({ id, type: 'response', flags, questions, answers }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  resolver = createDnsResolver([`127.0.0.1:${socket.address().port}`]);
});
afterAll(() => socket.close());

test.each([
  ['a CNAME', 'www', EDGE],
  ['a CNAME to a CNAME', 'shop', EDGE],
  ['a CNAME to another zone', 'away', 'shops.elsewhere.example'],
  ['a loop of CNAMEs', 'loop', 'back.mine.example'],
  ['more CNAMEs than resolvers follow', 'n0', 'n8.mine.example'],
])('%s is followed to its end', async (_, name, alias) => {
  expect(await resolver.resolve(`${name}.mine.example`)).toEqual({ alias, addresses: [], apex: false });
});

test('a name without a CNAME has its addresses, one that does not exist has none', async () => {
  expect(await resolver.resolve('bare.mine.example')).toMatchObject({ alias: undefined, addresses: ['192.0.2.7'] });
  expect(await resolver.resolve('none.mine.example')).toMatchObject({ alias: undefined, addresses: [] });
});

test('name servers that do not answer are reported, also those of a next name', async () => {
  await expect(resolver.resolve('silent.mine.example')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  await expect(resolver.resolve('broken.mine.example')).rejects.toMatchObject({ code: 'ESERVFAIL' });
});
