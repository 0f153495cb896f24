import { inflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { renderInvoice, toPrintable } from './invoice-pdf.ts';

type Invoice = Parameters<typeof renderInvoice>[0];

const invoice: Invoice = {
  id: 'inv_1',
  number: 'INV-2026-000042',
  kind: 'PLAN',
  status: 'PAID',
  amount: '1234.50',
  vat: '161.02',
  issuedAt: '2026-01-31T22:30:00.000Z',
  dueAt: '2026-01-31T22:30:00.000Z',
  paidAt: '2026-02-01T09:00:00.000Z',
  lines: [{ description: 'App 10, yearly', amount: '1234.50' }],
  seller: { name: 'Example Hosting (Pty) Ltd', address: '1 Long Street, Cape Town', vatNumber: '4000000000' },
  customer: { name: 'Thobelạ Ṋemukula', email: 'thobela@example.com' },
};

/** Returns the texts of a document, page by page, as its content streams show them. */
function textsOf(bytes: Buffer): string[] {
  const pages: string[] = [];
  for (let at = bytes.indexOf('stream\n'); at >= 0; at = bytes.indexOf('stream\n', at + 1)) {
    if (bytes.subarray(at - 3, at).toString() === 'end') continue;
    const content = inflateSync(bytes.subarray(at + 7, bytes.indexOf('\nendstream', at))).toString('latin1');
    const shown = [...content.matchAll(/\[(.*?)\] TJ/g)].map(([, parts = '']) =>
      [...parts.matchAll(/<([0-9a-f]*)>/g)].map(([, hex = '']) => Buffer.from(hex, 'hex').toString('latin1')).join(''),
    );
    if (shown.length > 0) pages.push(shown.join('\n'));
  }
  return pages;
}

test('a tax invoice names both parties, its number, its date in South Africa, the lines and the VAT', async () => {
  const [page = ''] = textsOf(await renderInvoice(invoice));
  const expected = [
    'Tax invoice',
    'INV-2026-000042',
    'PAID',
    'Example Hosting (Pty) Ltd',
    '1 Long Street, Cape Town',
    'VAT no. 4000000000',
    'Thobela Nemukula',
    'thobela@example.com',
    '1 February 2026',
    'App 10, yearly',
    'R1 234.50',
    'R161.02',
    'R1 073.48',
  ];
  for (const text of expected) expect(page).toContain(text);
});

test.each([
  ['Refunded', invoice.paidAt],
  ['Void', null],
])('an invoice that is void says so, and is not paid: %s', async (text, paidAt) => {
  const [page = ''] = textsOf(await renderInvoice({ ...invoice, status: 'VOID', paidAt }));
  expect(page.split('\n')).toEqual(expect.arrayContaining(['VOID', text]));
  expect(page).not.toContain('PAID');
});

test('without a VAT number it is not a tax invoice, and an unpaid one says so', async () => {
  const unpaid = {
    ...invoice,
    status: 'UNPAID' as const,
    paidAt: null,
    seller: { ...invoice.seller, vatNumber: null },
  };
  const [page = ''] = textsOf(await renderInvoice(unpaid));
  expect(page).not.toContain('Tax invoice');
  expect(page).toContain('Not paid');
});

test('lines that do not fit continue on the next page, and none is lost', async () => {
  const lines = Array.from({ length: 90 }, (_, at) => ({ description: `Domain number ${at}.`, amount: '10.00' }));
  const pages = textsOf(await renderInvoice({ ...invoice, lines }));
  expect(pages.length).toBeGreaterThan(1);
  for (const { description } of lines) expect(pages.join('\n')).toContain(description);
  expect(pages.at(-1)).toContain('Total including VAT');
});

test('characters that the fonts lack become their closest letters', () => {
  expect(toPrintable('Zoë – ṱḽ “x” 漢')).toBe('Zoë – tl “x” ?');
  expect(toPrintable('ﬁrst №1, Š Œ ™')).toBe('first No1, Š Œ ™');
});

test('composes diacritics that are separate characters, as macOS writes them, and omits those that no letter has', () => {
  expect(toPrintable('Jose\u0301, A\u030Angstro\u0308m, x\u0302\u200d')).toBe('José, Ångström, x');
});
