import { isObject, type JsonObject, objects } from '../../template/intrinsics.ts';
import type { Access } from '../authorizer.ts';
import { type ArnOf, type JsonOperation, jsonOperations, text } from './operation.ts';

const tableArn = (input: JsonObject, arn: ArnOf): string => {
  const { IndexName } = input;
  // A table may be named by its ARN.
  const name = text(input.TableName).split(':table/').at(-1);
  return arn('dynamodb', `table/${name}${IndexName === undefined ? '' : `/index/${text(IndexName)}`}`);
};

const onTable =
  (action: string): JsonOperation =>
  (input, arn) => [{ action: `dynamodb:${action}`, resource: tableArn(input, arn), ...leadingKey(input) }];

/**
 * Returns the condition key `dynamodb:LeadingKeys` of a write. The partition key is shortened to the kind of its items, so that the
 * authorizer decides only once for each kind.
 */
function leadingKey({ Key, Item }: JsonObject): Pick<Access, 'context'> {
  const attributes = isObject(Key) ? Key : isObject(Item) ? Item : {};
  const partition = isObject(attributes.pk) ? text(attributes.pk.S) : '';
  return partition === '' ? {} : { context: { 'dynamodb:LeadingKeys': [`${partition.split('#')[0]}#`] } };
}

const TRANSACTED: Readonly<Record<string, string>> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
};

/** A transaction needs only the rights of its individual operations. */
const onTransaction: JsonOperation = ({ TransactItems }, arn) =>
  unique(
    objects(TransactItems).flatMap((item) =>
      Object.entries(item).map(([kind, operation]) => ({
        action: `dynamodb:${TRANSACTED[kind] ?? kind}`,
        resource: tableArn(isObject(operation) ? operation : {}, arn),
        ...leadingKey(isObject(operation) ? operation : {}),
      })),
    ),
  );

const onBatch =
  (action: string): JsonOperation =>
  ({ RequestItems }, arn) =>
    Object.keys(isObject(RequestItems) ? RequestItems : {}).map((TableName) => ({
      action: `dynamodb:${action}`,
      resource: tableArn({ TableName }, arn),
    }));

/** The stream's ARN contains the creation time of the table. The template's ARN has the label `local` instead. */
const STREAM = /:table\/([^/|]+)\/stream\//;
const onStream =
  (action: string): JsonOperation =>
  ({ StreamArn, ShardIterator }, arn) => {
    const table = STREAM.exec(text(StreamArn) || text(ShardIterator))?.[1] ?? '';
    return [{ action: `dynamodb:${action}`, resource: arn('dynamodb', `table/${table}/stream/local`) }];
  };

const unique = (accesses: readonly Access[]): Access[] => [
  ...new Map(accesses.map((access) => [JSON.stringify(access), access])).values(),
];

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html#transaction-apis-iam */
export const dynamodb = jsonOperations({
  ...Object.fromEntries(
    ['GetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query', 'Scan', 'DescribeTable', 'DescribeTimeToLive'].map(
      (operation) => [operation, onTable(operation)],
    ),
  ),
  TransactWriteItems: onTransaction,
  TransactGetItems: onTransaction,
  BatchGetItem: onBatch('BatchGetItem'),
  BatchWriteItem: onBatch('BatchWriteItem'),
  DescribeStream: onStream('DescribeStream'),
  GetRecords: onStream('GetRecords'),
  GetShardIterator: onStream('GetShardIterator'),
});
