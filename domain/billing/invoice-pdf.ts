import PDFDocument from 'pdfkit';
import { describePayment } from '../../contract/billing/invoice-payment.ts';
import type { getInvoice as GetRoute, getInvoicePdf as PdfRoute } from '../../contract/billing/invoices.ts';
import type { Input, Output } from '../../contract/route.ts';
import type { Caller, Deps } from '../deps.ts';
import { getInvoice, type Seller } from './invoice-views.ts';
import { formatRand, parseCents } from './money.ts';

type Invoice = Output<typeof GetRoute>['data'];

/** Page layout in points. */
const MARGIN = 56;
const WIDTH = 595.28 - 2 * MARGIN;
const AMOUNT_WIDTH = 110;
const BOTTOM = 780;
const [REGULAR, BOLD] = ['Helvetica', 'Helvetica-Bold'];
const [TEXT, MUTED, LINE] = ['#1c2430', '#5b6570', '#d5dae0'];

/** A character of the standard fonts (Windows-1252). */
const KNOWN = /^[\t\n\x20-\x7e\xa0-\xffŒœŠšŽžŸƒˆ˜–—‘’‚“”„†‡•…‰‹›€™]$/;
/** A character without a width of its own, such as a diacritic or a joiner. */
const INVISIBLE = /^[\p{M}\p{Cf}]$/u;

/**
 * Converts a text to the characters of the standard fonts. Composes diacritics, removes those that the fonts lack, and replaces all other
 * unsupported characters with their closest letters or `?`.
 */
export function toPrintable(text: string): string {
  const closest = (character: string) =>
    [...character.normalize('NFKD')].filter((part) => KNOWN.test(part)).join('') ||
    (INVISIBLE.test(character) ? '' : '?');
  return [...text.normalize('NFC')].map((each) => (KNOWN.test(each) ? each : closest(each))).join('');
}

/** Formats an amount, such as `R1 234.50`. */
const rand = (amount: string): string => {
  const [whole = '', cents = '00'] = amount.split('.');
  return `R${whole.replace(/\B(?=(\d{3})+$)/g, ' ')}.${cents}`;
};
const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'Africa/Johannesburg' });
const date = (at: string): string => dateFormat.format(new Date(at));

/**
 * Renders an invoice as an A4 PDF. If the seller has a VAT number, the title is “Tax invoice”. The page names the seller, the customer, the
 * number, the date, the supplies and the VAT (Value-Added Tax Act 89 of 1991, section 20).
 */
export async function renderInvoice(invoice: Invoice): Promise<Buffer> {
  const { number, seller, customer, issuedAt, dueAt, status, lines, vat, amount } = invoice;
  const title = seller.vatNumber ? 'Tax invoice' : 'Invoice';
  const document = new PDFDocument({
    size: 'A4',
    margin: MARGIN,
    lang: 'en-ZA',
    displayTitle: true,
    info: { Title: `${title} ${number}`, Author: toPrintable(seller.name), CreationDate: new Date(issuedAt) },
  });
  const chunks: Buffer[] = [];
  document.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    document.on('end', resolve);
    document.on('error', reject);
  });
  const write = (text: string, x: number, y: number, options: PDFKit.Mixins.TextOptions = {}) =>
    document.text(toPrintable(text), x, y, { width: WIDTH, ...options });
  const style = (font: string, size: number, color = TEXT) => document.font(font).fontSize(size).fillColor(color);
  const rule = (y: number) =>
    document
      .moveTo(MARGIN, y)
      .lineTo(MARGIN + WIDTH, y)
      .lineWidth(0.7)
      .strokeColor(LINE)
      .stroke();

  style(BOLD, 22);
  write(title, MARGIN, MARGIN);
  style(REGULAR, 11, MUTED);
  write(number, MARGIN, MARGIN + 30);
  style(BOLD, 11);
  write(status, MARGIN, MARGIN + 4, { align: 'right' });

  const half = WIDTH / 2 - 12;
  const party = (name: string, x: number, texts: readonly (string | null)[]): number => {
    style(REGULAR, 9, MUTED);
    write(name, x, 130, { width: half });
    style(REGULAR, 10.5);
    write(texts.filter(Boolean).join('\n'), x, 144, { width: half, lineGap: 2 });
    return document.y;
  };
  const ends = [
    party('From', MARGIN, [seller.name, seller.address, seller.vatNumber && `VAT no. ${seller.vatNumber}`]),
    party('To', MARGIN + WIDTH / 2 + 12, [customer.name, customer.email]),
  ];
  let y = Math.max(...ends) + 18;
  const facts = [
    ['Issued', date(issuedAt)],
    ['Due', date(dueAt)],
    ['Paid', describePayment(invoice, date)],
  ] as const;
  for (const [index, [name, value]] of facts.entries()) {
    const x = MARGIN + (WIDTH / 3) * index;
    style(REGULAR, 9, MUTED);
    write(name, x, y, { width: WIDTH / 3 });
    style(REGULAR, 10.5);
    write(value, x, y + 13, { width: WIDTH / 3 });
  }
  y += 48;

  const amountX = MARGIN + WIDTH - AMOUNT_WIDTH;
  /** Writes a row and moves `y` below it. Begins a new page if the row does not fit. */
  const row = (text: string, value: string, font = REGULAR, color = TEXT): void => {
    style(font, 10.5, color);
    const height = document.heightOfString(toPrintable(text), { width: WIDTH - AMOUNT_WIDTH - 12 });
    if (y + height > BOTTOM) {
      document.addPage();
      y = MARGIN;
      style(font, 10.5, color);
    }
    write(text, MARGIN, y, { width: WIDTH - AMOUNT_WIDTH - 12 });
    write(value, amountX, y, { width: AMOUNT_WIDTH, align: 'right' });
    y += height + 8;
  };
  row('Description', 'Amount', BOLD, MUTED);
  rule(y - 3);
  y += 4;
  for (const line of lines) row(line.description, rand(line.amount));
  rule(y);
  y += 10;
  row('Total excluding VAT', rand(formatRand(parseCents(amount) - parseCents(vat))));
  row('VAT (15%), included', rand(vat));
  row('Total including VAT', rand(amount), BOLD);
  document.end();
  await ended;
  return Buffer.concat(chunks);
}

/** GET /v1/invoices/{id}/pdf */
export async function getInvoicePdf(
  deps: Deps & { seller: Seller },
  caller: Caller,
  input: Input<typeof PdfRoute>,
): Promise<Buffer> {
  return await renderInvoice((await getInvoice(deps, caller, input)).data);
}
