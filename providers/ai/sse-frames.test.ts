import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Frame, FrameSplitter } from './sse-frames.ts';

const shown = ({ event, data }: Frame) => `${event}|${data.toString('utf8')}`;

function split(bytes: Buffer, at: readonly number[]): string[] {
  const splitter = new FrameSplitter();
  const cuts = [0, ...at, bytes.length];
  const frames = cuts.slice(1).flatMap((end, index) => splitter.push(bytes.subarray(cuts[index], end)));
  expect(splitter.torn).toBe(false);
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
const FRAMES = ['|{"a":"ünï 😀"}', '|', 'ping|{"type": "ping"}', '|{"b":1}', '|{"c":\n2}', 'x|', '|[DONE]'];

test('frames are the same, split at every byte, at every two bytes, and byte by byte', () => {
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

test('whatever the frames are and however they come, the same frames go out', () => {
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

test('a part of a frame is told from a clean end, and what never ends is given up on', () => {
  const splitter = new FrameSplitter();
  expect(splitter.push(Buffer.from('data: {}\n'))).toEqual([]);
  expect(splitter.torn).toBe(true);
  const endless = new FrameSplitter();
  const megabytes = (count: number) => {
    for (let each = 0; each < count; each += 1) endless.push(Buffer.alloc(1024 * 1024, 'x'));
    return endless.endless;
  };
  expect([megabytes(32), megabytes(1), megabytes(1)]).toEqual([false, true, true]);
});

test('a frame of 5 MB in small pieces takes no longer than it must', () => {
  const bytes = Buffer.from(`data: "${'x'.repeat(5_000_000)}"\n\n`);
  const splitter = new FrameSplitter();
  const frames: Frame[] = [];
  const started = performance.now();
  for (let at = 0; at < bytes.length; at += 1024) frames.push(...splitter.push(bytes.subarray(at, at + 1024)));
  expect(frames[0]?.data.length).toBe(5_000_002);
  expect(performance.now() - started).toBeLessThan(1000);
});
