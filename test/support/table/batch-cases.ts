import { get, keyOf, LISTED, N, query, type Request, RICH, S, TableName, transact } from './requests.ts';

/** A transaction with the token of the ones before it. */
const addWithToken = (amount: number): Request => ({
  name: 'TransactWriteItems',
  input: {
    ClientRequestToken: 'token',
    TransactItems: [
      {
        Update: {
          TableName,
          Key: keyOf('a'),
          UpdateExpression: 'ADD n :n',
          ExpressionAttributeValues: { ':n': N(amount) },
        },
      },
    ],
  },
});

/** Cases of requests for several items at once. */
export const BATCH_CASES: Readonly<Record<string, readonly Request[]>> = {
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
    addWithToken(1),
    addWithToken(1),
    addWithToken(2),
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
