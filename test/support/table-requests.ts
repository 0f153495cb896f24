import fc from 'fast-check';

/** Requests of a table: chosen cases for every operation and refusal, and a generator of others. */

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
const TableName = 'compared';
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

type Values = Record<string, object>;
const keyOf = (sk = 'a') => ({ pk: { S: 'p' }, sk: { S: sk } });
const put = (sk: string, item: Values = {}, more: object = {}): Request => ({
  name: 'PutItem',
  input: { TableName, Item: { ...keyOf(sk), ...item }, ...more },
});
const update = (UpdateExpression: string, values?: Values, more: object = {}, sk = 'a'): Request => ({
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
const names = (...all: string[]) => ({
  ExpressionAttributeNames: Object.fromEntries(all.map((name) => [`#${name}`, name])),
});
const get = (sk = 'a', more: object = {}): Request => ({
  name: 'GetItem',
  input: { TableName, Key: keyOf(sk), ...more },
});
const query = (KeyConditionExpression: string, values: Values, more: object = {}): Request => ({
  name: 'Query',
  input: { TableName, KeyConditionExpression, ExpressionAttributeValues: values, ...more },
});
const filtered = (FilterExpression: string, values: Values = {}, more: object = {}): Request =>
  query('pk = :p', { ':p': { S: 'p' }, ...values }, { FilterExpression, ...more });
const scan = (more: object = {}): Request => ({ name: 'Scan', input: { TableName, ...more } });
const transact = (...TransactItems: object[]): Request => ({
  name: 'TransactWriteItems',
  input: { TableName, TransactItems },
});

const N = (N: number | string) => ({ N: String(N) });
const S = (S: string) => ({ S });
const SS = (...SS: string[]) => ({ SS });
const NS = (...all: (number | string)[]) => ({ NS: all.map(String) });
const L = (...L: object[]) => ({ L });
const M = (M: Values) => ({ M });

const RICH = put('a', {
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
const LISTED = Array.from({ length: 7 }, (_, at) =>
  put(`k${at}`, { listPk: S('list'), listSk: S(`s${at % 4}`), n: N(at), long: S('x'.repeat(50)) }),
);

export const CASES: Readonly<Record<string, readonly Request[]>> = {
  'puts, gets and deletes, with old values': [
    get(),
    put('a', { n: N(1) }),
    put('a', { n: N(2) }, { ReturnValues: 'ALL_OLD' }),
    put('a', { n: N(2) }),
    get('a', { ConsistentRead: true }),
    { name: 'DeleteItem', input: { TableName, Key: keyOf(), ReturnValues: 'ALL_OLD' } },
    { name: 'DeleteItem', input: { TableName, Key: keyOf(), ReturnValues: 'ALL_OLD' } },
    get(),
  ],
  'refuses malformed keys and items': [
    { name: 'GetItem', input: { TableName, Key: { pk: S('p') } } },
    { name: 'GetItem', input: { TableName, Key: { ...keyOf(), more: S('x') } } },
    { name: 'GetItem', input: { TableName, Key: { pk: S(''), sk: S('a') } } },
    { name: 'GetItem', input: { TableName, Key: { pk: N(1), sk: S('a') } } },
    { name: 'GetItem', input: { TableName: 'missing', Key: keyOf() } },
    { name: 'PutItem', input: { TableName, Item: { pk: S('p') } } },
    put('a', { listPk: N(1), listSk: S('x') }),
    put('a', { listPk: S(''), listSk: S('x') }),
    put('a', { ss: { SS: [] } }),
    put('a', { ss: SS('a', 'a') }),
    put('a', { n: N('x') }),
    put('a', { n: N('1e126') }),
    put('a', { n: N('1e-131') }),
    put('a', { n: N('123456789012345678901234567890123456789') }),
    put('a', { z: { NULL: false } }),
    put('a', { x: {} }),
    put('a', { s: S('') }),
    put('x'.repeat(1025)),
    put('a', { big: S('x'.repeat(410_000)) }),
    get(),
  ],
  'canonical numbers': [
    ...[
      '0',
      '-0',
      '1.0',
      '0010',
      '1.50',
      '1e3',
      '1E+3',
      '1.5e-3',
      '-7.250',
      '123456789012345678',
      '0.1',
      '1e20',
      '1e-7',
      '-1e-10',
    ].map((number) => put('a', { n: N(number) }, { ReturnValues: 'ALL_OLD' })),
    update('SET n = :a + :b', { ':a': N('0.1'), ':b': N('0.2') }),
    update('SET n = n - :b', { ':b': N('12345678901234567890') }),
    update('ADD n :b', { ':b': N('-0.000001') }),
  ],
  conditions: [
    RICH,
    ...[
      ['attribute_exists(n)'],
      ['attribute_not_exists(n)'],
      ['attribute_exists(m.inner.deep) AND attribute_not_exists(m.inner.other)'],
      ['attribute_exists(l[2].three)'],
      ['attribute_exists(l[9])'],
      ['n = :five', { ':five': N(5) }],
      ['n = :five', { ':five': N('5.0') }],
      ['n <> :five', { ':five': N(5) }],
      ['missing <> :five', { ':five': N(5) }],
      ['missing = :five', { ':five': N(5) }],
      ['n < :six AND n > :four', { ':six': N(6), ':four': N(4) }],
      ['n BETWEEN :four AND :six', { ':six': N(6), ':four': N(4) }],
      ['s BETWEEN :four AND :six', { ':six': N(6), ':four': N(4) }],
      ['n IN (:a, :b)', { ':a': N(1), ':b': N(5) }],
      ['NOT n IN (:a, :b)', { ':a': N(1), ':b': N(5) }],
      ['NOT (n = :a OR s = :s) AND t = :t', { ':a': N(1), ':s': S('no'), ':t': { BOOL: true } }],
      ['n = :a OR n = :b AND s = :s', { ':a': N(5), ':b': N(4), ':s': S('no') }],
      ['size(s) = :n', { ':n': N(5) }],
      ['size(l) >= :n', { ':n': N(3) }],
      ['size(n) = :n', { ':n': N(3) }],
      ['size(ss) = :n AND size(m) = :two AND size(b) = :n', { ':n': N(3), ':two': N(2) }],
      ['begins_with(s, :h)', { ':h': S('hel') }],
      ['begins_with(n, :h)', { ':h': S('hel') }],
      ['begins_with(s, :h)', { ':h': N(1) }],
      ['contains(s, :h)', { ':h': S('ell') }],
      ['contains(ss, :h)', { ':h': S('b') }],
      ['contains(ns, :h)', { ':h': N(9) }],
      ['contains(l, :h)', { ':h': S('two') }],
      ['attribute_type(l, :h)', { ':h': S('L') }],
      ['attribute_type(l, :h)', { ':h': S('X') }],
      ['l[1] = :h', { ':h': S('two') }],
      ['m = :h', { ':h': M({ inner: M({ deep: S('x') }), list: L(N(1), N(2)) }) }],
      ['ss = :h', { ':h': SS('c', 'a', 'b') }],
      ['n > s', {}],
      ['n > :t', { ':t': { BOOL: true } }],
      ['s < :u', { ':u': S('\u{1F600}') }],
      ['n = n', {}],
      ['n == :five', { ':five': N(5) }],
      ['n = :five AND', { ':five': N(5) }],
      ['(n = :five', { ':five': N(5) }],
      ['name = :five', { ':five': N(5) }],
      ['n = :other', { ':five': N(5) }],
      ['n = :five', { ':five': N(5), ':unused': N(1) }],
      ['#n = :five', { ':five': N(5) }],
      ['attribute_exists(:five)', { ':five': N(5) }],
      ['', {}],
    ].map(([ConditionExpression, values]) =>
      put(
        'a',
        { n: N(5) },
        {
          ConditionExpression: `(${ConditionExpression}) AND attribute_not_exists(never.there) AND attribute_exists(never)`,
          ...(values && Object.keys(values).length > 0 ? { ExpressionAttributeValues: values } : {}),
        },
      ),
    ),
    put('a', {}, { ConditionExpression: 'attribute_not_exists(pk)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' }),
    put('a', {}, { ConditionExpression: 'n = :a', ExpressionAttributeValues: { ':a': N(5) } }),
  ],
  'filters see what conditions see': [
    RICH,
    put('b', { n: N(7) }),
    ...(
      [
        ['attribute_exists(s)'],
        ['n <> :five', { ':five': N(5) }],
        ['missing <> :five', { ':five': N(5) }],
        ['NOT n IN (:a, :b)', { ':a': N(1), ':b': N(5) }],
        ['n = :a OR n = :b AND s = :s', { ':a': N(5), ':b': N(7), ':s': S('no') }],
        ['size(l) >= :n OR size(n) = :n', { ':n': N(3) }],
        ['size(b) = :n AND size(m) = :two', { ':n': N(3), ':two': N(2) }],
        ['begins_with(s, :h)', { ':h': S('hel') }],
        ['contains(l, :h)', { ':h': S('two') }],
        ['contains(ns, :h)', { ':h': N(3) }],
        ['attribute_type(l, :h)', { ':h': S('L') }],
        ['m.inner.deep = :h AND l[2].three = :n', { ':h': S('x'), ':n': N(3) }],
        ['n BETWEEN :a AND :b', { ':a': N(6), ':b': N(8) }],
        ['s < :u', { ':u': S('\u{1F600}') }],
      ] as [string, Values?][]
    ).map(([filter, values]) => filtered(filter, values)),
  ],
  updates: [
    update('SET n = :n', { ':n': N(1) }),
    update('SET n = n + :n, #m = :m REMOVE gone ADD hits :n', { ':n': N(1), ':m': M({ a: N(1) }) }, names('m')),
    update('SET m.b = :n, m.c = if_not_exists(m.c, :n), m.a = if_not_exists(m.a, :z)', { ':n': N(2), ':z': N(9) }),
    update('SET l = list_append(if_not_exists(l, :e), :v)', { ':e': L(), ':v': L(N(1), N(2)) }),
    update('SET l = list_append(:v, l)', { ':v': L(S('first')) }),
    update('SET l[0] = :v, l[9] = :w', { ':v': S('changed'), ':w': S('appended') }),
    update('REMOVE l[0], l[2]'),
    update('ADD ss :s, ns :n', { ':s': SS('a', 'b'), ':n': NS(1, 2) }),
    update('ADD ss :s DELETE ns :n', { ':s': SS('b', 'c'), ':n': NS(1) }),
    update('DELETE ns :n', { ':n': NS(2) }),
    update('DELETE nothing :n', { ':n': NS(2) }),
    update('SET a = b, b = a', undefined),
    update('SET a = :a, b = :b', { ':a': N(1), ':b': N(2) }),
    update('SET a = b, b = a', undefined),
    update('SET n = hits - :n', { ':n': N(10) }, { ReturnValues: 'UPDATED_NEW' }),
    update('SET n = :n REMOVE m.c', { ':n': N(3) }),
    update('SET n = :n, b = :n REMOVE m.a', { ':n': N(4) }),
    update('SET l[0] = :n, l[1] = :n', { ':n': N(4) }, { ReturnValues: 'UPDATED_NEW' }),
    update('SET n = :n', { ':n': N(4) }, { ReturnValues: 'NONE' }),
    update('SET fresh = :n', { ':n': N(4) }, { ReturnValues: 'ALL_OLD' }, 'new'),
    update('SET fresh = :n', { ':n': N(4) }, { ReturnValues: 'UPDATED_OLD' }, 'newer'),
    update('REMOVE missing', undefined, { ReturnValues: 'UPDATED_NEW' }, 'newest'),
    { name: 'UpdateItem', input: { TableName, Key: keyOf('bare'), ReturnValues: 'ALL_NEW' } },
    update('SET listPk = :p, listSk = :s', { ':p': S('list'), ':s': S('1') }, {}, 'bare'),
    update('SET listSk = :s', { ':s': S('2') }, {}, 'bare'),
    query('listPk = :p', { ':p': S('list') }, { IndexName: 'list' }),
    update('REMOVE listPk', undefined, {}, 'bare'),
    query('listPk = :p', { ':p': S('list') }, { IndexName: 'order' }),
  ],
  'refuses wrong updates': [
    RICH,
    ...(
      [
        ['SET pk = :n', { ':n': S('x') }],
        ['SET n = s + :n', { ':n': N(1) }],
        ['SET n = missing + :n', { ':n': N(1) }],
        ['SET n = missing'],
        ['SET m.no.such = :n', { ':n': N(1) }],
        ['SET n.x = :n', { ':n': N(1) }],
        ['SET n[0] = :n', { ':n': N(1) }],
        ['SET l.x = :n', { ':n': N(1) }],
        ['SET n = :n, n = :n', { ':n': N(1) }],
        ['SET m = :n, m.inner = :n', { ':n': N(1) }],
        ['SET m.list[0] = :n, m.list.x = :n', { ':n': N(1) }],
        ['SET n = :n SET s = :n', { ':n': N(1) }],
        ['SET n :n', { ':n': N(1) }],
        ['SET n = list_append(n, :l)', { ':l': L(N(1)) }],
        ['SET n = list_append(l, :l)', { ':l': N(1) }],
        ['ADD s :n', { ':n': N(1) }],
        ['ADD l :n', { ':n': L(N(1)) }],
        ['ADD n :n', { ':n': NS(1) }],
        ['ADD ss :n', { ':n': NS(1) }],
        ['DELETE ss :n', { ':n': S('a') }],
        ['DELETE n :n', { ':n': SS('a') }],
        ['REMOVE m.no.such'],
        ['REMOVE n.x'],
        ['REMOVE l[7]'],
        ['SET listPk = :n', { ':n': S('') }],
        ['SET #x = :n', { ':n': N(1) }],
        ['SET n = :n', { ':n': N(1), ':m': N(2) }],
        ['SET status = :n', { ':n': N(1) }],
        ['SET n = :n + :n + :n', { ':n': N(1) }],
        ['SET big = :n', { ':n': S('x'.repeat(410_000)) }],
        [''],
        ['REMOVE'],
        ['NOTHING n'],
      ] as [string, Values?][]
    ).map(([expression, values]) => update(expression, values)),
    get(),
  ],
  projections: [
    RICH,
    ...[
      'n, s',
      'm.inner.deep',
      'm.list[1], l[0], l[2].three',
      'l[2], l[0]',
      'missing',
      'm.inner, m.list',
      'n, n',
      'm, m.inner',
      'name',
      'l[x]',
    ].map((ProjectionExpression) => get('a', { ProjectionExpression })),
    get('a', { ProjectionExpression: '#n, #m.inner', ...names('n', 'm') }),
    get('missing', { ProjectionExpression: 'n' }),
  ],
  'queries of the table': [
    ...LISTED,
    query('pk = :p', { ':p': S('p') }),
    query('pk = :p', { ':p': S('none') }),
    query('pk = :p', { ':p': S('p') }, { ScanIndexForward: false, Limit: 3 }),
    query('pk = :p', { ':p': S('p') }, { Limit: 7 }),
    query('pk = :p', { ':p': S('p') }, { Limit: 3, ExclusiveStartKey: keyOf('k2') }),
    query('pk = :p', { ':p': S('p') }, { Limit: 3, ExclusiveStartKey: keyOf('k2x') }),
    query('pk = :p', { ':p': S('p') }, { ScanIndexForward: false, ExclusiveStartKey: keyOf('k2') }),
    query('pk = :p AND sk > :s', { ':p': S('p'), ':s': S('k3') }),
    query('pk = :p AND sk <= :s', { ':p': S('p'), ':s': S('k3') }, { ScanIndexForward: false }),
    query('sk BETWEEN :a AND :b AND pk = :p', { ':p': S('p'), ':a': S('k1'), ':b': S('k3') }),
    query('pk = :p AND begins_with(sk, :s)', { ':p': S('p'), ':s': S('k') }),
    query('pk = :p AND sk >= :s', { ':p': S('p'), ':s': S('k3') }, { ExclusiveStartKey: keyOf('k3') }),
    query(
      'sk BETWEEN :a AND :b AND pk = :p',
      { ':p': S('p'), ':a': S('k1'), ':b': S('k3') },
      { ExclusiveStartKey: keyOf('k1') },
    ),
    query('(pk = :p) AND (sk = :s)', { ':p': S('p'), ':s': S('k3') }),
    query('pk = :p', { ':p': S('p') }, { Select: 'COUNT', Limit: 2 }),
    query('pk = :p', { ':p': S('p'), ':n': N(3) }, { FilterExpression: 'n > :n', Limit: 5 }),
    query('pk = :p', { ':p': S('p') }, { ProjectionExpression: 'sk, n', ConsistentRead: true }),
  ],
  'queries of indexes': [
    ...LISTED,
    query('listPk = :p', { ':p': S('list') }, { IndexName: 'list', ProjectionExpression: 'listSk' }),
    query('listPk = :p AND listSk >= :s', { ':p': S('list'), ':s': S('s3') }, { IndexName: 'list' }),
    query('listPk = :p AND listSk = :s', { ':p': S('list'), ':s': S('s3') }, { IndexName: 'order' }),
    query('listPk = :p AND listSk < :s', { ':p': S('list'), ':s': S('s0') }, { IndexName: 'list' }),
    { name: 'DeleteItem', input: { TableName, Key: keyOf('k3') } },
    query('listPk = :p AND listSk = :s', { ':p': S('list'), ':s': S('s3') }, { IndexName: 'list' }),
  ],
  'refuses wrong queries': [
    query('pk > :p', { ':p': S('p') }),
    query('sk = :p', { ':p': S('p') }),
    query('pk = :p AND n = :p', { ':p': S('p') }),
    query('pk = :p OR sk = :p', { ':p': S('p') }),
    query('pk = :p AND sk <> :p', { ':p': S('p') }),
    query('pk = :p AND NOT sk = :p', { ':p': S('p') }),
    query('pk = :p AND sk = :p AND sk > :p', { ':p': S('p') }),
    query('pk = :p', { ':p': N(1) }),
    query('pk = :p AND sk BETWEEN :b AND :a', { ':p': S('p'), ':a': S('a'), ':b': S('b') }),
    query('pk = :p AND contains(sk, :p)', { ':p': S('p') }),
    query('pk = :p', { ':p': S('p') }, { IndexName: 'missing' }),
    query('listPk = :p', { ':p': S('p') }, { IndexName: 'list', ConsistentRead: true }),
    query('pk = :p', { ':p': S('p') }, { Limit: 0 }),
    query('pk = :p', { ':p': S('p') }, { ExclusiveStartKey: { pk: S('p') } }),
    query('pk = :p', { ':p': S('p') }, { ExclusiveStartKey: { pk: S('other'), sk: S('a') } }),
    query('pk = :p AND sk > :s', { ':p': S('p'), ':s': S('b') }, { ExclusiveStartKey: keyOf('b') }),
    query('pk = :p AND sk < :s', { ':p': S('p'), ':s': S('b') }, { ExclusiveStartKey: keyOf('c') }),
    query(
      'sk BETWEEN :a AND :b AND pk = :p',
      { ':p': S('p'), ':a': S('b'), ':b': S('c') },
      { ExclusiveStartKey: keyOf('a') },
    ),
    query('pk = :p AND begins_with(sk, :s)', { ':p': S('p'), ':s': S('b') }, { ExclusiveStartKey: keyOf('a') }),
    query('pk = :p', { ':p': S('p') }, { FilterExpression: 'sk = :p' }),
    { name: 'Query', input: { TableName } },
    {
      name: 'Query',
      input: { TableName: 'missing', KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': S('p') } },
    },
  ],
  scans: [
    ...LISTED,
    scan(),
    scan({ Limit: 3 }),
    scan({ Limit: 3, ExclusiveStartKey: keyOf('k2') }),
    scan({ FilterExpression: 'n > :n', ExpressionAttributeValues: { ':n': N(4) } }),
    scan({ Select: 'COUNT' }),
    scan({ Segment: 3, TotalSegments: 2 }),
  ],
  transactions: [
    RICH,
    transact(
      { Put: { TableName, Item: { ...keyOf('b'), n: N(1) }, ConditionExpression: 'attribute_not_exists(pk)' } },
      {
        Update: { TableName, Key: keyOf('a'), UpdateExpression: 'ADD n :n', ExpressionAttributeValues: { ':n': N(1) } },
      },
      { ConditionCheck: { TableName, Key: keyOf('c'), ConditionExpression: 'attribute_not_exists(pk)' } },
      { Delete: { TableName, Key: keyOf('d') } },
    ),
    get('a'),
    get('b'),
    transact(
      { Put: { TableName, Item: { ...keyOf('e'), n: N(1) } } },
      {
        Put: {
          TableName,
          Item: keyOf('b'),
          ConditionExpression: 'attribute_not_exists(pk)',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        },
      },
    ),
    get('e'),
    transact({ Put: { TableName, Item: keyOf('f') } }, { Delete: { TableName, Key: keyOf('f') } }),
    transact({ Put: { TableName, Item: { pk: S('p') } } }),
    transact({ Update: { TableName, Key: keyOf('a'), UpdateExpression: 'SET n = missing' } }),
    transact(),
    transact(...Array.from({ length: 101 }, (_, at) => ({ Put: { TableName, Item: keyOf(`t${at}`) } }))),
    {
      name: 'TransactGetItems',
      input: {
        TransactItems: [
          { Get: { TableName, Key: keyOf('a'), ProjectionExpression: 'n' } },
          { Get: { TableName, Key: keyOf('none') } },
        ],
      },
    },
    {
      name: 'TransactWriteItems',
      input: {
        ClientRequestToken: 'token',
        TransactItems: [
          {
            Update: {
              TableName,
              Key: keyOf('a'),
              UpdateExpression: 'ADD n :n',
              ExpressionAttributeValues: { ':n': N(1) },
            },
          },
        ],
      },
    },
    {
      name: 'TransactWriteItems',
      input: {
        ClientRequestToken: 'token',
        TransactItems: [
          {
            Update: {
              TableName,
              Key: keyOf('a'),
              UpdateExpression: 'ADD n :n',
              ExpressionAttributeValues: { ':n': N(1) },
            },
          },
        ],
      },
    },
    {
      name: 'TransactWriteItems',
      input: {
        ClientRequestToken: 'token',
        TransactItems: [
          {
            Update: {
              TableName,
              Key: keyOf('a'),
              UpdateExpression: 'ADD n :n',
              ExpressionAttributeValues: { ':n': N(2) },
            },
          },
        ],
      },
    },
    get('a'),
  ],
  batches: [
    ...LISTED.slice(0, 3),
    {
      name: 'BatchGetItem',
      input: { RequestItems: { [TableName]: { Keys: [keyOf('k0')], ProjectionExpression: 'n' } } },
    },
    { name: 'BatchGetItem', input: { RequestItems: { [TableName]: { Keys: [keyOf('k0'), keyOf('k0')] } } } },
    {
      name: 'BatchGetItem',
      input: { RequestItems: { [TableName]: { Keys: Array.from({ length: 101 }, (_, at) => keyOf(`k${at}`)) } } },
    },
    { name: 'BatchGetItem', input: { RequestItems: {} } },
    {
      name: 'BatchWriteItem',
      input: {
        RequestItems: { [TableName]: [{ PutRequest: { Item: keyOf('x') } }, { DeleteRequest: { Key: keyOf('k1') } }] },
      },
    },
    {
      name: 'BatchWriteItem',
      input: {
        RequestItems: { [TableName]: [{ PutRequest: { Item: keyOf('x') } }, { DeleteRequest: { Key: keyOf('x') } }] },
      },
    },
    {
      name: 'BatchWriteItem',
      input: {
        RequestItems: {
          [TableName]: Array.from({ length: 26 }, (_, at) => ({ PutRequest: { Item: keyOf(`k${at}`) } })),
        },
      },
    },
    query('pk = :p', { ':p': S('p') }),
  ],
};

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
    ...([anyKey, action, conditional, scalar, value] as const),
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
