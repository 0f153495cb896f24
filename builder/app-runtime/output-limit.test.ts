import { expect, test } from 'vitest';
import { limitOutput, type Output } from './output-limit.ts';

function recording() {
  const written: string[] = [];
  const output: Output = {
    write: ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      written.push(String(chunk));
      const done = rest.at(-1);
      if (typeof done === 'function') done();
      return true;
    }) as Output['write'],
  };
  return { written, output };
}

test('output beyond the limit of a minute is dropped, and a line says so', async () => {
  const [out, err] = [recording(), recording()];
  let now = 1_000_000;
  limitOutput([out.output, err.output], 1, () => now);
  const line = `${'x'.repeat(511)}\n`;
  for (let count = 0; count < 5; count += 1) out.output.write(line);
  err.output.write('an error\n');
  const cut = '[… more than 1 KiB were printed in a minute: the rest of the minute is left out …]\n';
  expect(out.written).toEqual([line, line, cut]);
  // Both outputs share the limit.
  expect(err.written).toEqual([]);
  // A caller that waits for its write goes on.
  await new Promise<void>((done) => err.output.write('more\n', () => done()));
  now += 60_000;
  err.output.write('again\n');
  out.output.write(line);
  expect(err.written).toEqual(['again\n']);
  expect(out.written.at(-1)).toBe(line);
});

test('output within the limit is unchanged, bytes counted and not characters', () => {
  const { written, output } = recording();
  limitOutput([output], 1, () => 0);
  output.write(Buffer.from('a'.repeat(1000)));
  output.write('ü'.repeat(12));
  output.write('ü');
  expect(written.slice(0, 2)).toEqual(['a'.repeat(1000), 'ü'.repeat(12)]);
  expect(written[2]).toContain('left out');
});
