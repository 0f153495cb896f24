import { invalid } from '../errors.ts';
import { LruCache } from '../lru-cache.ts';
import { isReserved } from './reserved-words.ts';
import type {
  Comparator,
  Condition,
  Expression,
  FunctionName,
  Operand,
  Parsed,
  Path,
  Placeholder,
  Update,
} from './syntax.ts';
import { type ExpressionName, tokenize } from './tokens.ts';

const COMPARATORS: readonly Comparator[] = ['=', '<>', '<=', '>=', '<', '>'];
const FUNCTIONS: Readonly<Record<FunctionName, number>> = {
  attribute_exists: 1,
  attribute_not_exists: 1,
  attribute_type: 2,
  begins_with: 2,
  contains: 2,
};
const isFunction = (name: string): name is FunctionName => Object.hasOwn(FUNCTIONS, name);
const MAX_EXPRESSION_BYTES = 4096;
const MAX_CACHED_TREES = 2000;

/** Creates the parsers that all kinds of expressions share. */
function createGrammar(text: string, expression: ExpressionName) {
  if (Buffer.byteLength(text) > MAX_EXPRESSION_BYTES)
    throw invalid(
      `Invalid ${expression}: Expression size has exceeded the maximum allowed size; expression size: ${Buffer.byteLength(text)}`,
    );
  if (text.trim() === '') throw invalid(`Invalid ${expression}: The expression can not be empty;`);
  const tokens = tokenize(text, expression);
  const names = new Set<string>();
  const values = new Set<string>();

  function name(): string {
    const { kind, text: found } = tokens.peek();
    if (kind === 'alias') names.add(found);
    else if (kind !== 'name') throw tokens.syntaxError();
    else if (isReserved(found)) throw tokens.error(`Attribute name is a reserved keyword; reserved keyword: ${found}`);
    return tokens.next().text;
  }

  function path(): Path {
    const steps: (string | number)[] = [name()];
    for (;;) {
      if (tokens.accept('.')) steps.push(name());
      else if (tokens.accept('[')) {
        if (tokens.peek().kind !== 'index') throw tokens.syntaxError();
        steps.push(Number(tokens.next().text));
        tokens.expect(']');
      } else return { kind: 'path', steps };
    }
  }

  function value(): Placeholder {
    if (tokens.peek().kind !== 'value') throw tokens.syntaxError();
    const { text: found } = tokens.next();
    values.add(found);
    return { kind: 'value', name: found };
  }

  /** Parses a comma-separated list. */
  function list<T>(read: () => T): T[] {
    const found = [read()];
    while (tokens.accept(',')) found.push(read());
    return found;
  }

  const end = <T>(tree: T): Parsed<T> => {
    if (tokens.peek().kind !== 'end') throw tokens.syntaxError();
    return { tree, names, values };
  };
  return { tokens, path, value, list, end };
}

type Grammar = ReturnType<typeof createGrammar>;

function conditionGrammar({ tokens, path, value, list }: Grammar) {
  function operand(): Operand {
    if (tokens.peek().kind === 'value') return value();
    if (tokens.peek().text !== 'size') return path();
    tokens.next();
    tokens.expect('(');
    const measured = path();
    tokens.expect(')');
    return { kind: 'size', path: measured };
  }

  function functionCall(name: FunctionName): Condition {
    tokens.next();
    tokens.expect('(');
    if (tokens.peek().kind === 'value')
      throw tokens.error(`Operator or function requires a document path; operator or function: ${name}`);
    const call = { kind: 'function' as const, name, path: path() };
    if (FUNCTIONS[name] === 1) {
      tokens.expect(')');
      return call;
    }
    tokens.expect(',');
    const argument = operand();
    tokens.expect(')');
    return { ...call, argument };
  }

  function comparison(): Condition {
    const left = operand();
    if (tokens.accept('BETWEEN')) {
      const low = operand();
      tokens.expect('AND');
      return { kind: 'between', operand: left, low, high: operand() };
    }
    if (tokens.accept('IN')) {
      tokens.expect('(');
      const members = list(operand);
      tokens.expect(')');
      return { kind: 'in', operand: left, members };
    }
    const comparator = COMPARATORS.find((each) => tokens.accept(each));
    if (!comparator) throw tokens.syntaxError();
    const right = operand();
    if (isSame(left, right))
      throw tokens.error(
        `The first operand must be distinct from the remaining operands for this operator or function; operator: ${comparator}, first operand: ${show(left)}`,
      );
    return { kind: 'compare', comparator, left, right };
  }

  function term(): Condition {
    if (tokens.accept('NOT')) return { kind: 'not', condition: term() };
    if (tokens.accept('(')) {
      const inner = disjunction();
      tokens.expect(')');
      return inner;
    }
    const { kind, text } = tokens.peek();
    if (kind === 'name' && isFunction(text)) return functionCall(text);
    return comparison();
  }

  function conjunction(): Condition {
    let left = term();
    while (tokens.accept('AND')) left = { kind: 'and', left, right: term() };
    return left;
  }

  function disjunction(): Condition {
    let left = conjunction();
    while (tokens.accept('OR')) left = { kind: 'or', left, right: conjunction() };
    return left;
  }
  return { disjunction };
}

const show = (operand: Operand): string => (operand.kind === 'path' ? `[${operand.steps.join(', ')}]` : 'operand');
const isSame = (a: Operand, b: Operand): boolean =>
  a.kind === 'path' && b.kind === 'path' && JSON.stringify(a.steps) === JSON.stringify(b.steps);

function updateGrammar({ tokens, path, value, list }: Grammar) {
  function single(): Expression {
    if (tokens.accept('(')) {
      const inner = sum();
      tokens.expect(')');
      return inner;
    }
    const { kind, text } = tokens.peek();
    if (kind === 'value') return value();
    if (kind !== 'name' || (text !== 'if_not_exists' && text !== 'list_append')) return path();
    tokens.next();
    tokens.expect('(');
    const parsed: Expression =
      text === 'if_not_exists'
        ? { kind: text, path: path(), otherwise: second(sum) }
        : { kind: text, left: sum(), right: second(sum) };
    tokens.expect(')');
    return parsed;
  }
  const second = <T>(read: () => T): T => {
    tokens.expect(',');
    return read();
  };
  function sum(): Expression {
    const left = single();
    const sign = tokens.accept('+') ? 1 : tokens.accept('-') ? -1 : undefined;
    return sign === undefined ? left : { kind: 'sum', sign, left, right: single() };
  }

  function update(): Update {
    const parts: { -readonly [Clause in keyof Update]?: Update[Clause] } = {};
    const clauses: Record<string, () => void> = {
      SET: () => {
        parts.set = list(() => {
          const target = path();
          tokens.expect('=');
          return { path: target, to: sum() };
        });
      },
      REMOVE: () => {
        parts.remove = list(path);
      },
      ADD: () => {
        parts.add = list(() => ({ path: path(), value: value() }));
      },
      DELETE: () => {
        parts.delete = list(() => ({ path: path(), value: value() }));
      },
    };
    do {
      const keyword = Object.keys(clauses).find((each) => tokens.accept(each));
      if (!keyword) throw tokens.syntaxError();
      if (parts[keyword.toLowerCase() as keyof Update])
        throw tokens.error(`The "${keyword}" section can only be used once in an update expression;`);
      clauses[keyword]?.();
    } while (tokens.peek().kind !== 'end');
    return { set: [], remove: [], add: [], delete: [], ...parts };
  }
  return { update };
}

/** Returns a parser that caches the trees of recent expressions, because programs repeat the same few. */
function cached<T>(read: (grammar: Grammar) => T): (text: string, expression: ExpressionName) => Parsed<T> {
  const trees = new LruCache<Parsed<T>>(MAX_CACHED_TREES);
  return (text, expression) => {
    const known = trees.get(text);
    if (known) return known;
    const grammar = createGrammar(text, expression);
    const parsed = grammar.end(read(grammar));
    trees.set(text, parsed);
    return parsed;
  };
}

/** Parses a condition, a filter or a key condition. */
export const parseCondition = cached((grammar) => conditionGrammar(grammar).disjunction());
export const parseUpdate = cached((grammar) => updateGrammar(grammar).update());
export const parseProjection = cached(({ list, path }) => list(path));
