/** Returns a number with its noun: `1 invoice`, `2 invoices`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;
