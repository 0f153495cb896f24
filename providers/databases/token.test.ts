import { createHash, createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { authToken } from './token.ts';

const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret/of+example', sessionToken: 'session==' };
const DATABASE = { host: 'abc.dsql.eu-west-1.on.aws', region: 'eu-west-1' };

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('creates a token as a connect request signed with Signature Version 4 in the query', () => {
  const given = new URL(`https://${authToken(DATABASE, CREDENTIALS, 43_200)}`);
  const query = Object.fromEntries(given.searchParams);
  const { 'X-Amz-Signature': signature = '', ...signed } = query;
  const time = signed['X-Amz-Date'] ?? '';
  const scope = `${time.slice(0, 8)}/eu-west-1/dsql/aws4_request`;
  expect(signed).toEqual({
    Action: 'DbConnectAdmin',
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `AKIDEXAMPLE/${scope}`,
    'X-Amz-Date': expect.stringMatching(/^\d{8}T\d{6}Z$/),
    'X-Amz-Expires': '43200',
    'X-Amz-Security-Token': 'session==',
    'X-Amz-SignedHeaders': 'host',
  });
  const canonicalQuery = Object.entries(signed)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .sort()
    .join('&');
  const canonical = ['GET', '/', canonicalQuery, `host:${DATABASE.host}`, '', 'host', sha256('')].join('\n');
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${CREDENTIALS.secretAccessKey}`);
  expect(signature).toBe(hmac(key, toSign).toString('hex'));
});
