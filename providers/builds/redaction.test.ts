import { stringify } from 'node:querystring';
import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { createRedactor } from './redaction.ts';

const secret = 'p@ss w0rd/?+ü';

test('redacts a value in plain text, in base64 at any offset, URL-encoded and escaped', () => {
  const { redact } = createRedactor([secret]);
  const shown = [
    secret,
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll('%20', '+'),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
    ...['a:', 'ab:', 'user:', 'name:'].map((user) => Buffer.from(user + secret).toString('base64')),
    JSON.stringify({ secret }),
  ].map(redact);
  for (const text of shown) expect(text).toContain('[redacted]');
  for (const text of shown) expect(text).not.toMatch(/ss w0rd|ss%20w0rd|cEBzcyB3M/);
  expect(redact('another password')).toBe('another password');
});

test.each(['info', 'DEBUG', 'true', 'false', 'production', 'Development', 'localhost'])(
  'leaves the word %s, which is a usual setting and no secret',
  (word) => {
    const line = `[${word}] 3 pages in ${word} mode, ${word.repeat(2)}`;
    expect(createRedactor([word]).redact(line)).toBe(line);
  },
);

test.each(['info1', 'information', 'production!', 'pass', 'true\ninformation'])(
  'redacts %j, which only resembles one',
  (value) => {
    expect(createRedactor(['info', value]).redact(`[${value}]`)).toBe('[[redacted]]');
  },
);

const urlWith = (scheme: string, part: 'username' | 'password' | 'pathname' | 'search' | 'hash', value: string) =>
  Object.assign(new URL(`${scheme}://host/`), { [part]: value }).href;
const rfc3986 = (value: string) =>
  encodeURIComponent(value).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

const ENCODERS: Record<string, (value: string) => string> = {
  encodeURIComponent,
  encodeURI,
  'URLSearchParams (forms)': (value) => new URLSearchParams({ value }).toString(),
  querystring: (value) => stringify({ value }),
  'RFC 3986 (signatures of AWS and OAuth)': rfc3986,
  'RFC 3986 in lower case': (value) => rfc3986(value).replace(/%../g, (each) => each.toLowerCase()),
  "Python's quote": (value) => rfc3986(value).replaceAll('%2F', '/'),
  "PHP's urlencode": (value) => rfc3986(value).replaceAll('~', '%7E').replaceAll('%20', '+'),
  'a user name': (value) => urlWith('https', 'username', value),
  'the password of a database': (value) => urlWith('postgres', 'password', value),
  'a path': (value) => urlWith('https', 'pathname', value),
  'a path of Node 20': (value) => urlWith('https', 'pathname', value).replaceAll('%5E', '^'),
  'the path of a database': (value) => urlWith('postgres', 'pathname', value),
  'a query': (value) => urlWith('https', 'search', value),
  'the query of a database': (value) => urlWith('postgres', 'search', value),
  'a fragment': (value) => urlWith('https', 'hash', value),
};

test.each(Object.entries(ENCODERS))('redacts a value as it is written by %s', (_, encode) => {
  for (const value of [
    'Passw0rd!',
    'Ab+cd/ef==',
    "Tr0ub4dor&3'x",
    'hunter2*(x)~',
    'p ss^w|rd+%2F',
    'S3cr€t {a\\b}`"<?#>',
  ]) {
    expect(createRedactor([value]).redact(encode(value))).toBe(encode('_').replace('_', () => '[redacted]'));
  }
});

test('redacts each line of a multi-line value, but no short values and lines', () => {
  const { redact } = createRedactor(['-----BEGIN KEY-----\nMIIabcdefghi\nab\n', 'on']);
  expect(redact('npm error MIIabcdefghi on ab')).toBe('npm error [redacted] on ab');
});

test('redacts a value that is split at any position', () => {
  const redactor = createRedactor(['abcabd', 'abcabdxyz', 'zz9zz']);
  const text = 'abcabd abcabdxyz abcabc abcab zz9zz9zz zz9z';
  const expected = redactor.redact(text);
  for (let cut = 0; cut <= text.length; cut += 1) {
    for (let next = cut; next <= text.length; next += 1) {
      const stream = redactor.stream();
      const pieces = [text.slice(0, cut), text.slice(cut, next), text.slice(next)].map((piece) => stream.write(piece));
      expect(pieces.join('') + stream.end()).toBe(expected);
    }
  }
});

test('passes on text immediately if it cannot become a secret', () => {
  const stream = createRedactor(['secret']).stream();
  expect(stream.write('progress 10%')).toBe('progress 10%');
  expect(stream.write(' a se')).toBe(' a ');
  expect(stream.write('ason')).toBe('season');
});

test('redacts a value in hexadecimal, and as inspectors and shells quote it', () => {
  const value = `it's a "secret"\\value`;
  const { redact } = createRedactor([value]);
  const printed = [
    Buffer.from(value).toString('hex'),
    Buffer.from(value).toString('hex').toUpperCase(),
    JSON.stringify({ value }),
    inspect({ value }),
    `'${value.replaceAll("'", "'\\''")}'`,
  ];
  expect(redact(printed[0] ?? '')).toBe('[redacted]');
  expect(redact(printed[1] ?? '')).toBe('[redacted]');
  expect(redact(printed[2] ?? '')).toBe('{"value":"[redacted]"}');
  expect(redact(printed[3] ?? '')).not.toContain('secret');
  expect(redact(printed[4] ?? '')).toBe("'[redacted]'");
});
