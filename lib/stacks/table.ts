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
 * Entries of the audit log are neither changed nor deleted. What IAM cannot say is that a put must not replace an item
 * (docs/decisions/0041-audit-log.md). A write of a transaction needs the permission of the operation that it stands for
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis-iam.html). That the condition then sees
 * the key of that write alone is not verified; if the key were absent, `ForAllValues` would allow it.
 */
const BESIDE_THE_AUDIT_LOG = {
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
  readonly putTogether: Use;
  /** Queries the index of due items. */
  readonly due: Use;

  constructor(platform: Platform) {
    super(platform, 'table', 'The single table: every item of the platform');
    const { config, names } = platform;
    const own = new TableV2(this, 'Table', {
      tableName: names.ownTable,
      partitionKey: text('pk'),
      sortKey: text('sk'),
      globalSecondaryIndexes: [...INDEXES],
      billing: Billing.onDemand(),
      // Encrypted under DynamoDB's own key. A customer-managed key would cost a KMS call on the request path, and
      // secrets in the table, such as applications' variables, are encrypted before they are stored.
      timeToLiveAttribute: 'expiresAtEpoch',
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: config.keepsData,
      removalPolicy: dataRemoval(config),
    });

    if (!own.tableStreamArn) throw new Error('The table has no stream');
    // Exported for as long as a restored table is in use too: an export that comes and goes could not be removed in one deployment.
    this.exportValue(own.tableStreamArn);
    this.streamArn = config.tableStream ?? own.tableStreamArn;

    const table = names.table.arn;
    const lists = [`${table}/index/list`, `${table}/index/order`];
    this.read = {
      rights: [
        // An index can only be queried.
        { actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem'], on: [table] },
        { actions: ['dynamodb:Query'], on: [table, ...lists] },
      ],
    };
    this.count = { rights: [{ actions: ['dynamodb:UpdateItem'], on: [table], when: BESIDE_THE_AUDIT_LOG }] };
    this.write = {
      rights: [
        { actions: ['dynamodb:PutItem', 'dynamodb:ConditionCheckItem'], on: [table] },
        { actions: ['dynamodb:UpdateItem', 'dynamodb:DeleteItem'], on: [table], when: BESIDE_THE_AUDIT_LOG },
      ],
    };
    this.putTogether = { rights: [{ actions: ['dynamodb:BatchWriteItem'], on: [table], when: BESIDE_THE_AUDIT_LOG }] };
    this.scan = { rights: [{ actions: ['dynamodb:Scan'], on: [table] }] };
    this.due = { rights: [{ actions: ['dynamodb:Query'], on: [`${table}/index/due`] }] };
  }
}
