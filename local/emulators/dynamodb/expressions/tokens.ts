import { invalid } from '../errors.ts';

export interface Token {
  /** The text; the empty one at the end. */
  text: string;
  kind: 'name' | 'alias' | 'value' | 'index' | 'symbol' | 'end';
}

const TOKEN = /\s*(?:([A-Za-z_][A-Za-z0-9_]*)|(#[A-Za-z0-9_]+)|(:[A-Za-z0-9_]+)|(\d+)|(<>|<=|>=|[=<>()[\],.+-]))/y;
const KINDS = ['name', 'alias', 'value', 'index', 'symbol'] as const;

/** Name of an expression in messages, such as `ConditionExpression`. */
export type ExpressionName =
  | 'ConditionExpression'
  | 'UpdateExpression'
  | 'FilterExpression'
  | 'KeyConditionExpression'
  | 'ProjectionExpression';

/** The tokens of one expression, read from the front. */
export interface Tokens {
  peek(): Token;
  next(): Token;
  /** Takes a symbol or keyword if it is next. Keywords are the same in any case. */
  take(text: string): boolean;
  expect(text: string): void;
  syntaxError(): Error;
  error(message: string): Error;
}

export function tokenize(text: string, expression: ExpressionName): Tokens {
  const tokens: Token[] = [];
  const error = (message: string) => invalid(`Invalid ${expression}: ${message}`);
  TOKEN.lastIndex = 0;
  for (let at = 0; at < text.trimEnd().length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match) {
      const rest = text.slice(at).trimStart();
      throw error(`Syntax error; token: "${rest.slice(0, 1)}", near: "${rest.slice(0, 12)}"`);
    }
    const group = match.slice(1).findIndex((part) => part !== undefined);
    tokens.push({ text: match[group + 1] ?? '', kind: KINDS[group] ?? 'symbol' });
  }
  const end: Token = { text: '', kind: 'end' };
  let at = 0;
  const peek = () => tokens[at] ?? end;
  const is = (wanted: string) => {
    const { kind, text: found } = peek();
    return kind === 'name' ? found.toUpperCase() === wanted : kind === 'symbol' && found === wanted;
  };
  const syntaxError = () => {
    const { text: found, kind } = peek();
    const near = tokens.slice(Math.max(0, at - 1), at + 2).map((token) => token.text);
    return error(`Syntax error; token: "${kind === 'end' ? '<EOF>' : found}", near: "${near.join(' ')}"`);
  };
  return {
    peek,
    next: () => {
      const token = peek();
      at += 1;
      return token;
    },
    take: (wanted) => {
      const found = is(wanted);
      if (found) at += 1;
      return found;
    },
    expect: (wanted) => {
      if (!is(wanted)) throw syntaxError();
      at += 1;
    },
    syntaxError,
    error,
  };
}
