import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { decode, encode } from 'dns-packet';
import { expect, test } from 'vitest';
import { createTxtRecords } from './txt-records.ts';

/** Name server with one name with texts, one without, and one that it refuses. */
async function nameServer() {
  const socket = createSocket('udp4');
  socket.on('message', (message, { port, address }) => {
    const { id, questions = [] } = decode(message);
    const name = questions[0]?.name ?? '';
    const texts = [
      { type: 'TXT' as const, name, data: ['one ', 'text'] },
      { type: 'TXT' as const, name, data: ['another'] },
    ];
    const rcode = name.startsWith('refused.') ? 5 : name.startsWith('nothing.') ? 3 : 0;
    const answers = name.startsWith('texts.') ? texts : [];
    socket.send(encode({ id, type: 'response', flags: rcode, questions, answers }), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { records: createTxtRecords([`127.0.0.1:${socket.address().port}`]), close: () => socket.close() };
}

test('joins texts; a name without any, or that does not exist, has none; a refusal is reported', async () => {
  const { records, close } = await nameServer();
  expect(await records.at('texts.example.com')).toEqual(['one text', 'another']);
  expect(await records.at('empty.example.com')).toEqual([]);
  expect(await records.at('nothing.example.com')).toEqual([]);
  await expect(records.at('refused.example.com')).rejects.toMatchObject({ code: 'EREFUSED' });
  close();
});
