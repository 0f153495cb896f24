/** Requests of a table, and what is compared of their outcomes. */

/** Sets differ in the order of their members. Messages and capacity are compared nowhere: DynamoDB Local words them otherwise, or tells them unasked. */
const NOT_COMPARED = ['Message', 'message', 'ConsumedCapacity'];
export function comparable(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) {
    const all = value.map((each) => comparable(each));
    return ['SS', 'NS', 'BS'].includes(name) ? all.toSorted() : all;
  }
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => !NOT_COMPARED.includes(key));
  // The order of attributes is not compared.
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, each]) => [key, comparable(each, key)]));
}

/** Sends requests one after the other and returns their outcomes, a line each: the output, or the name of the refusal. */
export async function outcomesOf(
  requests: readonly Request[],
  ask: (name: string, input: object) => Promise<string | object>,
): Promise<string> {
  const lines: string[] = [];
  for (const { name, input } of requests) {
    const outcome = await ask(name, input).then(
      (output) => comparable(typeof output === 'string' ? JSON.parse(output) : output),
      (error: Error) => ({ refused: error.name }),
    );
    lines.push(JSON.stringify(outcome));
  }
  return `${lines.join('\n')}\n`;
}

export interface Request {
  name: string;
  input: Record<string, unknown>;
}

const text = (AttributeName: string) => ({ AttributeName, AttributeType: 'S' });
const key = (hash: string, range: string) => [
  { AttributeName: hash, KeyType: 'HASH' },
  { AttributeName: range, KeyType: 'RANGE' },
];
export const TableName = 'compared';
export const TABLE = {
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: ['pk', 'sk', 'listPk', 'listSk'].map(text),
  KeySchema: key('pk', 'sk'),
  GlobalSecondaryIndexes: [
    { IndexName: 'list', KeySchema: key('listPk', 'listSk'), Projection: { ProjectionType: 'ALL' } },
    { IndexName: 'order', KeySchema: key('listPk', 'listSk'), Projection: { ProjectionType: 'KEYS_ONLY' } },
  ],
  StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
};

export type Values = Record<string, object>;
export const keyOf = (sk = 'a') => ({ pk: { S: 'p' }, sk: { S: sk } });
export const put = (sk: string, item: Values = {}, more: object = {}): Request => ({
  name: 'PutItem',
  input: { TableName, Item: { ...keyOf(sk), ...item }, ...more },
});
export const update = (UpdateExpression: string, values?: Values, more: object = {}, sk = 'a'): Request => ({
  name: 'UpdateItem',
  input: {
    TableName,
    Key: keyOf(sk),
    UpdateExpression,
    ReturnValues: 'ALL_NEW',
    ...(values ? { ExpressionAttributeValues: values } : {}),
    ...more,
  },
});
export const names = (...all: string[]) => ({
  ExpressionAttributeNames: Object.fromEntries(all.map((name) => [`#${name}`, name])),
});
export const get = (sk = 'a', more: object = {}): Request => ({
  name: 'GetItem',
  input: { TableName, Key: keyOf(sk), ...more },
});
export const query = (KeyConditionExpression: string, values: Values, more: object = {}): Request => ({
  name: 'Query',
  input: { TableName, KeyConditionExpression, ExpressionAttributeValues: values, ...more },
});
export const filtered = (FilterExpression: string, values: Values = {}, more: object = {}): Request =>
  query('pk = :p', { ':p': { S: 'p' }, ...values }, { FilterExpression, ...more });
export const scan = (more: object = {}): Request => ({ name: 'Scan', input: { TableName, ...more } });
export const transact = (...TransactItems: object[]): Request => ({
  name: 'TransactWriteItems',
  input: { TableName, TransactItems },
});

export const N = (N: number | string) => ({ N: String(N) });
export const S = (S: string) => ({ S });
export const SS = (...SS: string[]) => ({ SS });
export const NS = (...all: (number | string)[]) => ({ NS: all.map(String) });
export const L = (...L: object[]) => ({ L });
export const M = (M: Values) => ({ M });

export const RICH = put('a', {
  n: N(5),
  s: S('hello'),
  t: { BOOL: true },
  z: { NULL: true },
  b: { B: 'AQID' },
  l: L(N(1), S('two'), M({ three: N(3) })),
  m: M({ inner: M({ deep: S('x') }), list: L(N(1), N(2)) }),
  ss: SS('a', 'b', 'c'),
  ns: NS(1, 2, 3),
});
export const LISTED = Array.from({ length: 7 }, (_, at) =>
  put(`k${at}`, { listPk: S('list'), listSk: S(`s${at % 4}`), n: N(at), long: S('x'.repeat(50)) }),
);
