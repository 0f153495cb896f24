/**
 * CloudWatch's metric math for one point in time, as far as the platform's alarms use it: arithmetic, comparisons, `FILL`,
 * `IF`, `MAX` (https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html). An operation on a
 * metric without data has no data. Anything else in an expression is an error.
 */

type Value = number | undefined;

const OPERATORS: Record<string, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '>': (a, b) => Number(a > b),
  '>=': (a, b) => Number(a >= b),
  '<': (a, b) => Number(a < b),
  '<=': (a, b) => Number(a <= b),
};
/** Operators by precedence, the weakest first. */
const LEVELS = [
  ['>', '>=', '<', '<='],
  ['+', '-'],
  ['*', '/'],
];
const TOKEN = /\s*([A-Za-z_]\w*|\d+(?:\.\d+)?|>=|<=|[-+*/<>(),[\]])/y;

function tokenize(expression: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < expression.length) {
    const at = TOKEN.lastIndex;
    const token = TOKEN.exec(expression)?.[1];
    if (token === undefined) throw new Error(`Unknown text in "${expression}" at ${at}`);
    tokens.push(token);
  }
  return tokens;
}

/** Evaluates an expression. @param lookUp returns the value of a metric or another expression by its id */
export function evaluate(expression: string, lookUp: (id: string) => Value): Value {
  const tokens = tokenize(expression);
  let at = 0;
  const take = (expected?: string): string => {
    const token = tokens[at];
    if (token === undefined || (expected !== undefined && token !== expected))
      throw new Error(`Expected ${expected ?? 'more'} in "${expression}", found ${token}`);
    at += 1;
    return token;
  };

  function list(end: string): Value[] {
    const values = [binary(0)];
    while (tokens[at] === ',') {
      take(',');
      values.push(binary(0));
    }
    take(end);
    return values;
  }

  function call(name: string): Value {
    take('(');
    if (name === 'MAX') {
      take('[');
      const present = list(']').filter((value) => value !== undefined);
      take(')');
      return present.length > 0 ? Math.max(...present) : undefined;
    }
    const [first, second, third] = list(')');
    if (name === 'FILL') return first ?? second;
    if (name === 'IF') return first === undefined ? undefined : first ? second : third;
    throw new Error(`The function ${name} is not known to this evaluator`);
  }

  function operand(): Value {
    const token = take();
    if (token === '(') {
      const value = binary(0);
      take(')');
      return value;
    }
    if (/^\d/.test(token)) return Number(token);
    return tokens[at] === '(' ? call(token) : lookUp(token);
  }

  function binary(level: number): Value {
    const operators = LEVELS[level];
    if (!operators) return operand();
    let left = binary(level + 1);
    while (operators.includes(tokens[at] ?? '')) {
      const apply = OPERATORS[take()];
      const right = binary(level + 1);
      left = left === undefined || right === undefined ? undefined : apply?.(left, right);
    }
    return left;
  }

  const value = binary(0);
  if (at < tokens.length) throw new Error(`Unexpected ${tokens[at]} in "${expression}"`);
  return value;
}
