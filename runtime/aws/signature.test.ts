import aws4 from 'aws4';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { signJson } from './signature.ts';

test('creates the same signature as aws4', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'Z', '9', '/', '+', '='), minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(
      fc.record({ accessKeyId: text, secretAccessKey: text }),
      fc.option(text, { nil: undefined }),
      fc.string({ unit: 'grapheme' }),
      fc.date({ min: new Date('2020-01-01'), max: new Date('2090-01-01'), noInvalidDate: true }),
      (pair, sessionToken, body, now) => {
        const credentials = { ...pair, ...(sessionToken ? { sessionToken } : {}) };
        const request = { service: 'dynamodb', region: 'af-south-1', host: 'dynamodb.af-south-1.amazonaws.com' };
        const json = {
          contentType: 'application/x-amz-json-1.0',
          target: 'DynamoDB_20120810.GetItem',
          body: `{${body}`,
        };
        const ours = signJson({ ...request, ...json }, credentials, now);
        const theirs = aws4.sign(
          {
            ...request,
            method: 'POST',
            path: '/',
            body: json.body,
            headers: {
              'content-type': json.contentType,
              'x-amz-target': json.target,
              'X-Amz-Date': ours['x-amz-date'] ?? '',
            },
          },
          credentials,
        );
        expect(ours.authorization).toBe(theirs.headers?.Authorization);
      },
    ),
    { numRuns: 300 },
  );
});
