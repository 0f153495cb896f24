import fc from 'fast-check';
import { keyOf, L, M, N, query, type Request, S, SS, TableName, transact, type Values } from './requests.ts';

/** A generator of requests, beside the chosen cases. */

const anyKey = fc.constantFrom('a', 'b', 'c').map(keyOf);
const scalar = fc.oneof(
  fc.integer({ min: -5, max: 5 }).map(N),
  fc.constantFrom('', 'x', 'xy', 'é').map(S),
  fc.constant({ BOOL: true }),
  fc.constant({ NULL: true }),
);
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }).map((all) => L(...all)),
  fc.dictionary(fc.constantFrom('u', 'v'), scalar, { maxKeys: 2 }).map((all) => M(all)),
  fc.uniqueArray(fc.constantFrom('p', 'q', 'r'), { minLength: 1, maxLength: 3 }).map((all) => SS(...all)),
);
const attribute = fc.constantFrom('n', 'o', 'm', 'm.u', 'l', 'l[0]', 'l[1]');
const condition = fc.constantFrom(
  'attribute_exists(pk)',
  'attribute_not_exists(pk)',
  'attribute_exists(n)',
  'n < :v',
  'n = :v',
  'n <> :v',
  'size(l) > :v',
  'contains(l, :v)',
  'm.u = :v OR n IN (:v)',
  'NOT o = :v',
);
const action = fc.oneof(
  attribute.map((path) => `SET ${path} = :w`),
  attribute.map((path) => `SET ${path} = if_not_exists(${path}, :w)`),
  attribute.map((path) => `SET n = ${path}`),
  attribute.map((path) => `REMOVE ${path}`),
  attribute.map((path) => `ADD ${path} :w`),
  attribute.map((path) => `DELETE ${path} :w`),
  fc.constantFrom('SET l = list_append(l, :w)', 'SET n = n + :w', 'SET o = n - :w REMOVE m ADD l :w'),
);

/** Leaves out the values that expressions do not use, as DynamoDB requires. */
function used(input: Record<string, unknown>, values: Values): Record<string, unknown> {
  const expressions = [input.ConditionExpression, input.UpdateExpression, input.KeyConditionExpression].join(' ');
  const found = Object.entries(values).filter(([name]) => expressions.includes(name));
  return found.length > 0 ? { ...input, ExpressionAttributeValues: Object.fromEntries(found) } : input;
}

const conditional = fc
  .option(condition)
  .map((ConditionExpression) => (ConditionExpression === null ? {} : { ConditionExpression }));
const putting = fc
  .tuple(anyKey, fc.dictionary(fc.constantFrom('n', 'o', 'm', 'l', 'ss'), value, { maxKeys: 4 }), conditional, scalar)
  .map(([Key, item, when, v]) => used({ TableName, Item: { ...item, ...Key }, ...when }, { ':v': v }));
/** Of a nested change, DynamoDB shows the part that changed, and DynamoDB Local the whole attribute: it is not compared. */
const comparableReturns = (expression: string, returns: string): string =>
  /[.[]/.test(expression) && returns.startsWith('UPDATED') ? 'ALL_NEW' : returns;
const updating = fc
  .tuple(
    anyKey,
    action,
    conditional,
    scalar,
    value,
    fc.constantFrom('NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW'),
  )
  .map(([Key, UpdateExpression, when, v, w, returns]): Request['input'] => ({
    ...used({ TableName, Key, UpdateExpression, ...when }, { ':v': v, ':w': w }),
    ReturnValues: comparableReturns(UpdateExpression, returns),
  }));
const deleting = fc
  .tuple(anyKey, conditional, scalar)
  .map(([Key, when, v]) => used({ TableName, Key, ...when }, { ':v': v }));

/** Any request to a table of three keys, most of which it accepts. */
export const operation: fc.Arbitrary<Request> = fc.oneof(
  putting.map((input) => ({ name: 'PutItem', input: { ...input, ReturnValues: 'ALL_OLD' } })),
  { weight: 4, arbitrary: updating.map((input) => ({ name: 'UpdateItem', input })) },
  deleting.map((input) => ({ name: 'DeleteItem', input: { ...input, ReturnValues: 'ALL_OLD' } })),
  fc
    .tuple(putting, updating, deleting)
    .filter(
      ([one, two, three]) =>
        new Set([one.Item, two.Key, three.Key].map((each) => JSON.stringify((each as { sk: object }).sk))).size === 3,
    )
    .map(([Put, { ReturnValues: _, ...Update }, Delete]) => transact({ Put }, { Update }, { Delete })),
  fc.boolean().map((ScanIndexForward) => query('pk = :p', { ':p': S('p') }, { ScanIndexForward })),
);
