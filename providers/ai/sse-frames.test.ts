import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SseFrame, SseSplitter } from './sse-frames.ts';

const shown = ({ event, data }: SseFrame) => `${event}|${data.toString('utf8')}`;

function split(bytes: Buffer, at: readonly number[]): string[] {
  const splitter = new SseSplitter();
  const cuts = [0, ...at, bytes.length];
  const frames = cuts.slice(1).flatMap((end, index) => splitter.push(bytes.subarray(cuts[index], end)));
  return frames.map(shown);
}

const STREAM = [
  '\uFEFFdata: {"a":"ünï 😀"}\n\n',
  ': comment\n\n',
  'event: ping\r\ndata: {"type": "ping"}\r\n\r\n',
  '\n\r\n',
  'data:{"b":1}\n\n',
  'data: {"c":\ndata: 2}\n\n',
  'id: 7\nevent: x\ndata\n\n',
  'data: [DONE]\r\n\r\n',
].join('');
const FRAMES = ['|{"a":"ünï 😀"}', '|', 'ping|{"type": "ping"}', '|{"b":1}', '|{"c": 2}', 'x|', '|[DONE]'];

test('reads the same frames, split at every byte, at every two bytes, and byte by byte', () => {
  const bytes = Buffer.from(STREAM);
  let count = 0;
  for (let first = 0; first <= bytes.length; first += 1) {
    for (let second = first; second <= bytes.length; second += 1) {
      expect(split(bytes, [first, second])).toEqual(FRAMES);
      count += 1;
    }
  }
  expect(split(bytes, [...bytes.keys()])).toEqual(FRAMES);
  console.log(`the frame splitter: ${count + 1} ways to split ${bytes.length} bytes`);
});

test('writes the frames that it reads, whatever they are and however they arrive', () => {
  const line = fc.string({ unit: fc.constantFrom('a', '"', '{', ':', ' ', 'é', '😀', 'data'), maxLength: 12 });
  const end = fc.constantFrom('\n', '\r\n');
  const frame = fc.record({ data: line, end, event: fc.constantFrom('', 'delta') });
  const runs = 1000;
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat(400), { maxLength: 12 }), (frames, positions) => {
      const text = frames.map(
        ({ data, end, event }) => `${event ? `event: ${event}${end}` : ''}data: ${data}${end}${end}`,
      );
      const bytes = Buffer.from(text.join(''));
      const at = positions.filter((position) => position <= bytes.length).sort((a, b) => a - b);
      expect(split(bytes, at)).toEqual(frames.map(({ data, event }) => `${event}|${data}`));
    }),
    { numRuns: runs },
  );
  console.log(`the frame splitter: ${runs} random streams, randomly split`);
});

test('waits for the end of a frame, and gives up on an endless one', () => {
  expect(new SseSplitter().push(Buffer.from('data: {}\n'))).toEqual([]);
  const endless = new SseSplitter();
  const megabytes = (count: number) => {
    for (let each = 0; each < count; each += 1) endless.push(Buffer.alloc(1024 * 1024, 'x'));
    return endless.isOverlong;
  };
  expect([megabytes(32), megabytes(1), megabytes(1)]).toEqual([false, true, true]);
});

test('reads a frame of 5 MB in small pieces in linear time', () => {
  const bytes = Buffer.from(`data: "${'x'.repeat(5_000_000)}"\n\n`);
  const splitter = new SseSplitter();
  const frames: SseFrame[] = [];
  const started = process.cpuUsage();
  for (let at = 0; at < bytes.length; at += 1024) frames.push(...splitter.push(bytes.subarray(at, at + 1024)));
  expect(frames[0]?.data.length).toBe(5_000_002);
  // Of the processor, which others may have meanwhile.
  expect(process.cpuUsage(started).user).toBeLessThan(1_000_000);
});
