/** Formats whole cents as rand with two decimals: 123450 → `1234.50`. */
export function formatRand(cents: number): string {
  const text = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** VAT in percent (specification, General conventions 4). */
const VAT = 15;

/** An amount with VAT included, and the VAT that it includes. Whole cents, rounded half up. */
export interface Gross {
  amountCents: number;
  vatCents: number;
}

/** Adds VAT to a price. */
export function addVat(cents: number): Gross {
  const vatCents = Math.floor((cents * VAT + 50) / 100);
  return { amountCents: cents + vatCents, vatCents };
}

/** Calculates the VAT that a price includes. */
export function vatInside(amountCents: number): Gross {
  const grossPercent = 100 + VAT;
  return { amountCents, vatCents: Math.floor((2 * amountCents * VAT + grossPercent) / (2 * grossPercent)) };
}

/** Parses an amount in rand, which must have two decimals, as whole cents: `1234.50` → 123450. */
export const parseCents = (text: string): number => Number(text.replace('.', ''));
