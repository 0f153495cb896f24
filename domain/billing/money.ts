/** Whole cents as rand with two decimals: 123450 → `1234.50`. */
export function formatRand(cents: number): string {
  const text = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** VAT in percent (specification, General conventions 4). */
const VAT = 15;

/** An amount as an invoice's line has it: VAT inside, and how much of it that is. Whole cents, rounded half up. */
export interface Gross {
  amountCents: number;
  vatCents: number;
}

/** Returns a price with VAT added. */
export function addVat(cents: number): Gross {
  const vatCents = Math.floor((cents * VAT + 50) / 100);
  return { amountCents: cents + vatCents, vatCents };
}

/** Returns the VAT contained in a price. */
export function vatInside(amountCents: number): Gross {
  const whole = 100 + VAT;
  return { amountCents, vatCents: Math.floor((2 * amountCents * VAT + whole) / (2 * whole)) };
}

/** `1234.50` as whole cents. The text has two decimals. */
export const parseCents = (text: string): number => Number(text.replace('.', ''));
