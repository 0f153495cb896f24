import { parseAst } from 'vite';
import * as z from 'zod';

/**
 * Nodes of the syntax that the runtime cloudfront-js-2.0 has: ES 5.1, and of later editions what AWS lists
 * (https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-javascript-runtime-20.html). Node's own parser
 * takes more: patterns, spread, classes, `for…of`, default parameters, optional chaining.
 */
const SUPPORTED = new Set(
  `Program ImportDeclaration ImportDefaultSpecifier
  FunctionDeclaration FunctionExpression ArrowFunctionExpression RestElement AwaitExpression
  BlockStatement BreakStatement ContinueStatement DoWhileStatement EmptyStatement ExpressionStatement ForInStatement ForStatement
  IfStatement LabeledStatement ReturnStatement SwitchCase SwitchStatement ThrowStatement WhileStatement
  TryStatement CatchClause VariableDeclaration VariableDeclarator
  ArrayExpression AssignmentExpression BinaryExpression CallExpression ConditionalExpression LogicalExpression MemberExpression
  NewExpression ObjectExpression Property SequenceExpression ThisExpression UnaryExpression UpdateExpression
  Identifier Literal TemplateElement TemplateLiteral`.split(/\s+/),
);
const OPERATORS = /^(&&|\|\||=|\+=|-=|\*\*?=|\/=|%=|<<=|>>>?=|&=|\|=|\^=)$/;

const Node = z.looseObject({
  type: z.string(),
  operator: z.string().optional(),
  bigint: z.string().nullish(),
  generator: z.boolean().optional(),
});

/** Returns the syntax of a function that its runtime refuses, each with the name of its node. */
export function unsupportedSyntax(code: string): string[] {
  const found: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const node = Array.isArray(value) ? undefined : Node.safeParse(value).data;
    if (node) {
      const { type, operator = '', bigint, generator } = node;
      const isOperator = !/^(Logical|Assignment)/.test(type) || OPERATORS.test(operator);
      const hasBinding = type !== 'CatchClause' || node.param !== null;
      if (!(SUPPORTED.has(type) && isOperator && hasBinding && !bigint && !generator)) found.push(type);
    }
    for (const each of Object.values(value)) visit(each);
  };
  visit(parseAst(code));
  return found;
}
