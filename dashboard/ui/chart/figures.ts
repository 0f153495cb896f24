const groupedFormat = new Intl.NumberFormat('en-ZA', { maximumFractionDigits: 1 });

/** Formats a count for an axis or a figure: `1.2k`, `3.4M`. */
export function formatCount(count: number): string {
  if (count >= 1e6) return `${groupedFormat.format(count / 1e6).replace(',', '.')}M`;
  if (count >= 1e4) return `${groupedFormat.format(count / 1e3).replace(',', '.')}k`;
  return String(Math.round(count * 100) / 100);
}

const wholeFormat = new Intl.NumberFormat('en-ZA');

/** Formats a number with all of its digits, in groups: `12 345`. */
export const formatNumber = (value: number): string => wholeFormat.format(value);

/** Formats a duration in milliseconds: `12 ms`, `1.3 s`. */
export const formatMs = (ms: number): string =>
  ms >= 1000 ? `${Math.round(ms / 100) / 10} s` : `${Math.round(ms)} ms`;

export const formatMb = (megabytes: number): string => `${Math.round(megabytes)} MB`;

/** Formats a share as a percentage with as many digits as it needs. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '–';
  const percent = (part / whole) * 100;
  return `${percent === 0 || percent >= 10 ? Math.round(percent) : percent.toPrecision(2)}%`;
}

/** Returns a text in sentence case. */
export const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
