import { describe, expect, test } from 'vitest';
import { ApiError } from '../../contract/errors.ts';
import type { DnsRecord } from '../../table/entities/dns.ts';
import { assertNoConflict, parseRecord, type RecordFields } from './rules.ts';
import { fitsRecordSet, toZoneFileValue } from './zone-file.ts';

const txt = (content: string, name = '') =>
  parseRecord({ type: 'TXT', name, content, ttl: 60, prio: undefined }, 'shop.co.za');
const stored = (fields: RecordFields, id: string): DnsRecord => ({ ...fields, id, domainId: 'dom', createdAt: '' });
const refusal = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
  return undefined;
};

describe('a TXT record is limited to what the name servers take', () => {
  test.each([
    ['letters', 'x'.repeat(2048), true],
    ['quotes', `a${'"'.repeat(980)}`, true],
    ['quotes', `a${'"'.repeat(1000)}`, false],
    ['backslashes', '\\'.repeat(1001), false],
    ['characters of two bytes', 'é'.repeat(490), true],
    ['characters of two bytes', 'é'.repeat(510), false],
    ['emoji', '🙂'.repeat(256), false],
  ])('%s', (_, content, fits) => {
    const problem = refusal(() => txt(content));
    if (fits) expect(problem).toBeUndefined();
    else expect(problem).toMatch(/^invalid_request content: is too long/);
  });

  test('whatever is accepted is at most 4,000 characters as the name servers count', () => {
    for (let length = 1; length <= 2048; length += 97) {
      for (const character of ['x', '"', 'é', '€', ' ']) {
        const content = `a${character.repeat(Math.min(length, 2047))}b`;
        if (refusal(() => txt(content))) continue;
        expect(toZoneFileValue(txt(content)).length).toBeLessThanOrEqual(4000);
      }
    }
  });
});

test.each([
  [
    'an alias to itself',
    { type: 'CNAME', name: 'www', content: 'WWW.shop.co.za.' },
    'must be another name than the record’s own',
  ],
  ['a text of spaces', { type: 'TXT', name: 'www', content: '  ' }, 'must not be empty'],
  [
    'a tag that every object has',
    { type: 'CAA', name: 'www', content: '0 constructor "x"' },
    'has an unknown tag; there are issue, issuewild, issuemail, issuevmc, iodef, contactemail, contactphone',
  ],
] as const)('refuses %s', (_what, record, message) => {
  expect(refusal(() => parseRecord({ ...record, ttl: 60, prio: undefined }, 'shop.co.za'))).toBe(
    `invalid_request content: ${message}`,
  );
});

test.each([
  ['', ''],
  ['www', 'www'],
  ['shop.co.za', ''],
  ['shop.co.za.', ''],
  ['www.shop.co.za', 'www'],
  ['*.shop.co.za', '*'],
  ['_hosting.www.shop.co.za.', '_hosting.www'],
  ['myshop.co.za', 'myshop.co.za'],
])('the name %j is %j below shop.co.za', (name, relative) => {
  expect(txt('x', name).name).toBe(relative);
});

test('refuses a name with a dot at its end that is not below the domain', () => {
  expect(refusal(() => txt('x', 'www.example.com.'))).toMatch(/^invalid_request name: /);
});

describe('an MX record of a name that accepts no mail', () => {
  const mx = (content: string, prio: number | undefined, name = '') =>
    parseRecord({ type: 'MX', name, content, ttl: 60, prio }, 'shop.co.za');

  test('is a dot with priority 0, in responses and in zones', () => {
    const fields = mx(' . ', 0);
    expect([fields.content, toZoneFileValue(fields)]).toEqual(['.', '0 .']);
    expect(refusal(() => mx('.', 10))).toMatch(/^invalid_request prio: must be 0/);
    expect(refusal(() => mx('.', undefined))).toMatch(/^invalid_request prio: is required/);
    expect(refusal(() => mx('..', 0))).toMatch(/^invalid_request content: /);
  });

  test('stands beside no other mail server of the name', () => {
    const others = [stored(mx('mail.example.net', 10), 'one'), stored(mx('.', 0, 'www'), 'two')];
    expect(refusal(() => assertNoConflict(mx('.', 0), others))).toMatch(/^conflict An MX record of \./);
    expect(refusal(() => assertNoConflict(mx('mail.example.net', 10, 'www'), others))).toMatch(/^conflict An MX/);
    expect(refusal(() => assertNoConflict(mx('.', 0, 'blog'), others))).toBeUndefined();
  });
});

test('an SRV record of a service that there is not has a dot as its target, in responses and in zones', () => {
  const srv = (content: string) =>
    parseRecord({ type: 'SRV', name: '_imap._tcp', content, ttl: 60, prio: 0 }, 'shop.co.za');
  expect([srv('0 0 .').content, toZoneFileValue(srv('0 0 .'))]).toEqual(['0 0 .', '0 0 0 .']);
  expect(toZoneFileValue(srv('5 5060 sip.example.net.'))).toBe('0 5 5060 sip.example.net.');
  expect(refusal(() => srv('0 0 ..'))).toMatch(/^invalid_request content: /);
});

describe('the records of one name and type are limited to one request', () => {
  const add = (all: DnsRecord[], fields: RecordFields) => {
    const problem = refusal(() => assertNoConflict(fields, all));
    if (!problem) all.push(stored(fields, `rec_${all.length}`));
    return problem;
  };

  test('by characters', () => {
    const all: DnsRecord[] = [];
    const problems = Array.from({ length: 10 }, (_, index) => add(all, txt(`${index}${'x'.repeat(1999)}`)));
    expect(problems.slice(0, 7)).toEqual(Array(7).fill(undefined));
    expect(problems[7]).toMatch(/^conflict The TXT records of one name are limited to 400/);
    expect(fitsRecordSet(all.map(toZoneFileValue))).toBe(true);
    expect(add(all, txt('x'.repeat(2000), 'other'))).toBeUndefined();
  });

  test('by number', () => {
    const all: DnsRecord[] = [];
    const address = (index: number) =>
      parseRecord(
        { type: 'A', name: 'www', content: `192.0.${index >> 8}.${index & 255}`, ttl: 60, prio: undefined },
        'shop.co.za',
      );
    const problems = Array.from({ length: 401 }, (_, index) => add(all, address(index)));
    expect(problems.filter(Boolean)).toEqual([expect.stringMatching(/^conflict The A records/)]);
  });
});
