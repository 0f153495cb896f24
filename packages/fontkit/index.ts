/** Refuses to open a font: fontkit is not installed, as invoices use the standard fonts (domain/billing/invoice-pdf.ts). */
export function create(): never {
  throw new Error('Embedded fonts need fontkit, in whose place package.json installs packages/fontkit');
}
