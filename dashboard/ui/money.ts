const groupedFormat = new Intl.NumberFormat('en-ZA', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Formats rand, given as a number or as the contract's string (`"-1234.50"`): `-R1 234.50`. */
export function formatRand(amount: string | number): string {
  const value = Number(amount);
  return `${value < 0 ? '-' : ''}R${groupedFormat.format(Math.abs(value)).replaceAll(',', '.')}`;
}

/** Returns an amount in rand with VAT (15%), rounded to cents as invoices are. */
export const addVat = (net: string | number): number => Math.round((Math.round(Number(net) * 100) * 115) / 100) / 100;

/** Formats micro-rand with as many decimals as needed, up to six. */
export function formatMicroRand(amount: number): string {
  const value = Math.abs(amount) / 1_000_000;
  const text = value >= 1 || value === 0 ? formatRand(value) : `R${value.toFixed(6).replace(/0+$/, '').padEnd(4, '0')}`;
  return amount < 0 ? `-${text}` : text;
}

/** Converts typed amounts (`50`, `-1 000.5`) to the contract's format. Invalid input is returned unchanged, for validation. */
export function parseMoney(typed: string): string {
  const text = typed.replace(/[\sR]/g, '').replace(',', '.');
  return /^-?\d+(\.\d{0,2})?$/.test(text) ? Number(text).toFixed(2) : text;
}
