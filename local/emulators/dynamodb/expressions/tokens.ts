import { invalid } from '../errors.ts';

export interface Token {
  /** The text of the token; empty at the end of the expression. */
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

/** The token stream of one expression. */
export interface Tokens {
  peek(): Token;
  next(): Token;
  /** Consumes the next token if it is this symbol or keyword. Keywords are case-insensitive. */
  accept(text: string): boolean;
  /** Consumes the next token. Throws a syntax error unless it is this symbol or keyword. */
  expect(text: string): void;
  syntaxError(): Error;
  error(message: string): Error;
}

export function tokenize(text: string, expression: ExpressionName): Tokens {
  const tokens: Token[] = [];
  const error = (message: string) => invalid(`Invalid ${expression}: ${message}`);
  TOKEN.lastIndex = 0;
  for (let start = 0; start < text.trimEnd().length; start = TOKEN.lastIndex) {
    TOKEN.lastIndex = start;
    const match = TOKEN.exec(text);
    if (!match) {
      const rest = text.slice(start).trimStart();
      throw error(`Syntax error; token: "${rest.slice(0, 1)}", near: "${rest.slice(0, 12)}"`);
    }
    const group = match.slice(1).findIndex((part) => part !== undefined);
    tokens.push({ text: match[group + 1] ?? '', kind: KINDS[group] ?? 'symbol' });
  }
  const end: Token = { text: '', kind: 'end' };
  let position = 0;
  const peek = () => tokens[position] ?? end;
  const is = (wanted: string) => {
    const { kind, text: found } = peek();
    return kind === 'name' ? found.toUpperCase() === wanted : kind === 'symbol' && found === wanted;
  };
  const syntaxError = () => {
    const { text: found, kind } = peek();
    const near = tokens.slice(Math.max(0, position - 1), position + 2).map((token) => token.text);
    return error(`Syntax error; token: "${kind === 'end' ? '<EOF>' : found}", near: "${near.join(' ')}"`);
  };
  return {
    peek,
    next: () => {
      const token = peek();
      position += 1;
      return token;
    },
    accept: (wanted) => {
      const found = is(wanted);
      if (found) position += 1;
      return found;
    },
    expect: (wanted) => {
      if (!is(wanted)) throw syntaxError();
      position += 1;
    },
    syntaxError,
    error,
  };
}
