import { AsyncResource } from 'node:async_hooks';
import { expect, test } from 'vitest';
import { parseLine } from '../../providers/app-host/requests.ts';
import { enterRequest, markOutput } from './request-output.ts';

function output() {
  let text = '';
  const stream = {
    write: ((chunk: string | Uint8Array) => {
      text += Buffer.from(chunk as Uint8Array).toString('utf8');
      return true;
    }) as NodeJS.WriteStream['write'],
  };
  markOutput([stream]);
  return { stream, lines: () => text.trimEnd().split('\n').map(parseLine) };
}

/** Runs work as a server runs a request: in an asynchronous context of its own. */
const during = <T>(id: string, work: () => T): T =>
  new AsyncResource('request').runInAsyncScope(() => {
    enterRequest(id);
    return work();
  });

test('lines that are printed during a request carry its id, however late; others carry none', async () => {
  const { stream, lines } = output();
  stream.write('starting\n');
  const late = during('request1', async () => {
    stream.write('one\ntwo\n');
    await new Promise((done) => setTimeout(done, 5));
    stream.write('{"level":"info",');
    stream.write('"message":"three"}\n');
  });
  during('request2', () => stream.write(Buffer.from('größer\n')));
  stream.write('outside\n');
  await late;
  expect(lines()).toEqual([
    { text: 'starting', requestId: null },
    { text: 'one', requestId: 'request1' },
    { text: 'two', requestId: 'request1' },
    { text: 'größer', requestId: 'request2' },
    { text: 'outside', requestId: null },
    { text: '{"level":"info","message":"three"}', requestId: 'request1' },
  ]);
});

test('prints an empty line and encoded bytes unchanged', () => {
  const { stream, lines } = output();
  during('request1', () => {
    stream.write('a\n\nb\n');
    stream.write('');
  });
  expect(lines()).toEqual(['a', '', 'b'].map((text) => ({ text, requestId: 'request1' })));
  const bytes: unknown[] = [];
  const raw = { write: ((...given: unknown[]) => bytes.push(...given) > 0) as NodeJS.WriteStream['write'] };
  markOutput([raw]);
  during('request1', () => raw.write('6869', 'hex'));
  expect(bytes).toEqual(['6869', 'hex']);
});
