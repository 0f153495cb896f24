/** Formats an invoice number: `INV-2026-000001`. */
export const formatInvoiceNumber = (year: string, serial: number): string =>
  `INV-${year}-${String(serial).padStart(6, '0')}`;

/** Returns the first invoice number in a text; undefined if there is none. */
export const invoiceNumberIn = (text: string): string | undefined => /\bINV-\d{4}-\d{6,}\b/.exec(text)?.[0];
