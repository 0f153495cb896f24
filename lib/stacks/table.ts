import {
  AttributeType,
  Billing,
  type GlobalSecondaryIndexPropsV2,
  ProjectionType,
  StreamViewType,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import { AUDIT_PARTITION } from '../../contract/audit/actions.ts';
import { dataRemoval } from '../constructs/retention.ts';
import type { Use } from '../constructs/rights.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

const text = (name: string) => ({ name, type: AttributeType.STRING });

export const INDEXES: readonly GlobalSecondaryIndexPropsV2[] = [
  // Whole items, newest first.
  { indexName: 'list', partitionKey: text('listPk'), sortKey: text('listSk') },
  // The same order with keys only: skips an offset without reading the skipped items.
  {
    indexName: 'order',
    partitionKey: text('listPk'),
    sortKey: text('listSk'),
    projectionType: ProjectionType.KEYS_ONLY,
  },
  // Every item with a deadline, for the reconciler.
  {
    indexName: 'due',
    partitionKey: text('duePk'),
    sortKey: text('dueAt'),
    projectionType: ProjectionType.KEYS_ONLY,
  },
];

/**
 * Forbids changing and deleting entries of the audit log. IAM cannot express that a put must not replace an item
 * (docs/decisions/0041-audit-log.md). A write in a transaction needs the permission of the corresponding single operation
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html). It is not verified that the condition then
 * sees only the key of that write; if the key were absent, `ForAllValues` would allow the write.
 */
const EXCEPT_AUDIT_LOG = {
  'ForAllValues:StringNotLike': { 'dynamodb:LeadingKeys': [`${AUDIT_PARTITION}#*`] },
};

/** The single table (table/entities/ defines the keys and indexes of every entity). */
export class TableStack extends PlatformStack {
  /** ARN of the stream of the table in use. */
  readonly streamArn: string;
  /** Reads items and lists. */
  readonly read: Use;
  /** Reads the whole table, for migrations. */
  readonly scan: Use;
  /** Counts a request on the caller's key: the only write of a reading function. */
  readonly count: Use;
  /** Writes items, alone or in transactions (DynamoDB authorizes a transaction by its single writes). */
  readonly write: Use;
  /** Puts several items in one request. */
  readonly putBatch: Use;
  /** Queries the index of due items. */
  readonly due: Use;

  constructor(platform: Platform) {
    super(platform, 'table', 'The single table: every item of the platform');
    const { config, names } = platform;
    const table = new TableV2(this, 'Table', {
      tableName: names.ownTable,
      partitionKey: text('pk'),
      sortKey: text('sk'),
      globalSecondaryIndexes: [...INDEXES],
      billing: Billing.onDemand(),
      // Encrypted with DynamoDB's own key. A customer-managed key would cost a KMS call on the request path, and secrets in the table, such as
      // applications' variables, are encrypted before they are stored.
      timeToLiveAttribute: 'expiresAtEpoch',
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: config.keepsData,
      removalPolicy: dataRemoval(config),
    });

    if (!table.tableStreamArn) throw new Error('The table has no stream');
    // Also exported while a restored table is in use, because an export that other stacks still import could not be removed in one deployment.
    this.exportValue(table.tableStreamArn);
    this.streamArn = config.tableStream ?? table.tableStreamArn;

    const tableArn = names.table.arn;
    const lists = [`${tableArn}/index/list`, `${tableArn}/index/order`];
    this.read = {
      rights: [
        // An index can only be queried.
        { actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem'], on: [tableArn] },
        { actions: ['dynamodb:Query'], on: [tableArn, ...lists] },
      ],
    };
    this.count = { rights: [{ actions: ['dynamodb:UpdateItem'], on: [tableArn], when: EXCEPT_AUDIT_LOG }] };
    this.write = {
      rights: [
        { actions: ['dynamodb:PutItem', 'dynamodb:ConditionCheckItem'], on: [tableArn] },
        { actions: ['dynamodb:UpdateItem', 'dynamodb:DeleteItem'], on: [tableArn], when: EXCEPT_AUDIT_LOG },
      ],
    };
    this.putBatch = { rights: [{ actions: ['dynamodb:BatchWriteItem'], on: [tableArn], when: EXCEPT_AUDIT_LOG }] };
    this.scan = { rights: [{ actions: ['dynamodb:Scan'], on: [tableArn] }] };
    this.due = { rights: [{ actions: ['dynamodb:Query'], on: [`${tableArn}/index/due`] }] };
  }
}
