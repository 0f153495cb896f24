import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRequestReader } from './http.ts';

const encode = (target: string, body: string): Buffer =>
  Buffer.from(
    `POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: ${target}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );

test('finds the requests of a connection however their bytes arrive, and passes every byte', () => {
  const bodies = fc.array(fc.string({ unit: 'grapheme', maxLength: 300 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(bodies, fc.array(fc.nat(400), { maxLength: 20 }), (texts, sizes) => {
      const sent = Buffer.concat(texts.map((body, index) => encode(`T.${index}`, body)));
      const found: string[][] = [];
      const passed: Buffer[] = [];
      const read = createRequestReader(({ headers, body }, bytes) => {
        found.push([String(headers['x-amz-target']), body.toString()]);
        passed.push(Buffer.from(bytes));
      });
      let position = 0;
      for (const size of [...sizes, sent.length]) {
        const chunk = sent.subarray(position, position + size);
        if (chunk.length > 0) expect(read(chunk)).toBe(true);
        position += chunk.length;
      }
      expect(found).toEqual(texts.map((body, index) => [`T.${index}`, body]));
      expect(Buffer.concat(passed).equals(sent)).toBe(true);
    }),
  );
});

test('refuses a request without a length, of which a second one could hide in the body', () => {
  const read = createRequestReader(() => undefined);
  expect(read(Buffer.from('POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'))).toBe(false);
  expect(read(Buffer.from('POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n'))).toBe(false);
});
