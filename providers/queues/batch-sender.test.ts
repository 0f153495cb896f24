import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toMessageBody } from './batch-sender.ts';

test('a message body is always ASCII, and parses to the original message', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const body = toMessageBody({ text });
      expect(body).toMatch(/^[ -~]*$/);
      expect(JSON.parse(body)).toEqual({ text });
    }),
    { examples: [['Rocket 🚀'], ['\uffff'], ['\ud83d'], ['line\n\u2028"quoted"\\']] },
  );
});
