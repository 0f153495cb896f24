import { invalid } from './errors.ts';

/**
 * DynamoDB's numbers: up to 38 significant digits, between 1E-130 and 9.99…E+125 in magnitude
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html).
 */
const MAX_DIGITS = 38;
const MAX_EXPONENT = 125;
const MIN_EXPONENT = -130;

/** `digits × 10^exponent`, without trailing zeros in the digits. */
interface Decimal {
  digits: bigint;
  exponent: number;
}

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;
/** Matches numbers in canonical form that JavaScript computes exactly. */
const SMALL_INTEGER = /^(?:0|-?[1-9]\d{0,14})$/;

function parse(text: string): Decimal {
  const [, sign, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (sign === undefined || whole + fraction === '')
    throw invalid(`The parameter cannot be converted to a numeric value: ${text}`);
  return normalize(BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`), Number(exponent) - fraction.length);
}

function normalize(digits: bigint, exponent: number): Decimal {
  if (digits === 0n) return { digits, exponent: 0 };
  const text = String(digits);
  const zeros = text.length - text.replace(/0+$/, '').length;
  return checked({ digits: BigInt(text.slice(0, text.length - zeros)), exponent: exponent + zeros });
}

const digitsOf = ({ digits }: Decimal): string => String(digits < 0n ? -digits : digits);
/** Returns the power of ten of the first digit. */
const magnitudeOf = (decimal: Decimal): number => digitsOf(decimal).length - 1 + decimal.exponent;

function checked(decimal: Decimal): Decimal {
  const count = digitsOf(decimal).length;
  const magnitude = magnitudeOf(decimal);
  if (count > MAX_DIGITS) throw invalid('Attempting to store more than 38 significant digits in a Number');
  if (magnitude > MAX_EXPONENT)
    throw invalid('Number overflow. Attempting to store a number with magnitude larger than supported range');
  if (magnitude < MIN_EXPONENT)
    throw invalid('Number underflow. Attempting to store a number with magnitude smaller than supported range');
  return decimal;
}

function textOf(decimal: Decimal): string {
  const sign = decimal.digits < 0n ? '-' : '';
  const digits = digitsOf(decimal);
  const { exponent } = decimal;
  if (exponent >= 0) return `${sign}${digits}${'0'.repeat(exponent)}`;
  const padded = digits.padStart(1 - exponent, '0');
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

/** Returns a number's canonical text. Throws if the text is not a number, or is out of range. */
export const canonicalNumber = (text: string): string => (SMALL_INTEGER.test(text) ? text : textOf(parse(text)));

/** Compares two numbers. Returns a negative number, zero or a positive number, as for `Array.prototype.sort`. */
export function compareNumbers(a: string, b: string): number {
  if (SMALL_INTEGER.test(a) && SMALL_INTEGER.test(b)) return Number(a) - Number(b);
  const { digits } = combine(parse(a), parse(b), -1n);
  return digits < 0n ? -1 : digits > 0n ? 1 : 0;
}

/** Returns `a + sign × b`, not normalized. */
function combine(a: Decimal, b: Decimal, sign: bigint): { digits: bigint; exponent: number } {
  const exponent = Math.min(a.exponent, b.exponent);
  const scaled = (decimal: Decimal) => decimal.digits * 10n ** BigInt(decimal.exponent - exponent);
  return { digits: scaled(a) + sign * scaled(b), exponent };
}

/** Returns the canonical text of `a + b`, or of `a - b`. */
export function addNumbers(a: string, b: string, sign: 1 | -1): string {
  if (SMALL_INTEGER.test(a) && SMALL_INTEGER.test(b)) return String(Number(a) + sign * Number(b));
  const { digits, exponent } = combine(parse(a), parse(b), BigInt(sign));
  return textOf(normalize(digits, exponent));
}

const MAGNITUDE_OFFSET = 500;
const complement = (digits: string): string => [...digits].map((digit) => String(9 - Number(digit))).join('');

/** Returns a text that sorts like the number. */
export function sortableNumber(text: string): string {
  const decimal = parse(text);
  if (decimal.digits === 0n) return '1';
  const magnitude = String(magnitudeOf(decimal) + MAGNITUDE_OFFSET).padStart(3, '0');
  const digits = digitsOf(decimal).padEnd(MAX_DIGITS, '0');
  return decimal.digits > 0n ? `2${magnitude}${digits}` : `0${complement(magnitude + digits)}`;
}
