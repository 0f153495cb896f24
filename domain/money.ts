/** Whole cents as rand with two decimals: 123450 → `1234.50`. */
export function rand(cents: number): string {
  const text = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${text.slice(0, -2)}.${text.slice(-2)}`;
}
