const grouped = new Intl.NumberFormat('en-ZA', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Rand of the contract (`"-1234.50"`) or a number of rand, as it is read: `-R1 234.50`. */
export function rand(amount: string | number): string {
  const value = Number(amount);
  return `${value < 0 ? '-' : ''}R${grouped.format(Math.abs(value)).replaceAll(',', '.')}`;
}

/** Micro-rand with as many decimals as there is to see. */
export function microRand(amount: number): string {
  const value = Math.abs(amount) / 1_000_000;
  const text = value >= 1 || value === 0 ? rand(value) : `R${value.toFixed(6).replace(/0+$/, '').padEnd(4, '0')}`;
  return amount < 0 ? `-${text}` : text;
}

/** What somebody typed (`50`, `1 000.5`) as the contract's money; what is no amount stays as it is, to be refused. */
export function moneyOf(typed: string): string {
  const text = typed.replace(/[\sR]/g, '').replace(',', '.');
  return /^\d+(\.\d{0,2})?$/.test(text) ? Number(text).toFixed(2) : text;
}
