import { AttributeType, Billing, ProjectionType, StreamViewType, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import type { Use } from '../constructs/rights.ts';
import { type Platform, PlatformStack } from './platform-stack.ts';

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The single table (docs: table/entities.ts has every key and index of every entity). */
export class TableStack extends PlatformStack {
  readonly table: TableV2;
  /** Reading items and lists. */
  readonly read: Use;
  /** Counting a request on the caller's key: all that a reading function writes. */
  readonly count: Use;
  /** Writing, in transactions or alone (DynamoDB judges a transaction by the writes in it). */
  readonly write: Use;
  /** Finding what is overdue. */
  readonly due: Use;

  constructor(platform: Platform) {
    super(platform, 'table', 'The single table: every item of the platform');
    const { config, names } = platform;
    this.table = new TableV2(this, 'Table', {
      tableName: names.table.name,
      partitionKey: text('pk'),
      sortKey: text('sk'),
      globalSecondaryIndexes: [
        // Lists, newest first, whole items.
        { indexName: 'list', partitionKey: text('listPk'), sortKey: text('listSk') },
        // The same order with keys only: skips an offset without reading what is skipped.
        {
          indexName: 'order',
          partitionKey: text('listPk'),
          sortKey: text('listSk'),
          projectionType: ProjectionType.KEYS_ONLY,
        },
        // Everything with a deadline, for the reconciler.
        {
          indexName: 'due',
          partitionKey: text('duePk'),
          sortKey: text('dueAt'),
          projectionType: ProjectionType.KEYS_ONLY,
        },
      ],
      billing: Billing.onDemand(),
      // Encrypted under DynamoDB's own key: a key of ours would cost a KMS call on the request path, and what is secret
      // in the table (variables of applications) is sealed before it gets here.
      timeToLiveAttribute: 'expiresAtEpoch',
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: config.keepsData,
      removalPolicy: config.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });

    const table = names.table.arn;
    const lists = [`${table}/index/list`, `${table}/index/order`];
    this.read = {
      rights: [{ actions: ['dynamodb:GetItem', 'dynamodb:BatchGetItem', 'dynamodb:Query'], on: [table, ...lists] }],
    };
    this.count = { rights: [{ actions: ['dynamodb:UpdateItem'], on: [table] }] };
    this.write = {
      rights: [
        {
          actions: ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'].map((action) => `dynamodb:${action}`),
          on: [table],
        },
      ],
    };
    this.due = { rights: [{ actions: ['dynamodb:Query'], on: [`${table}/index/due`] }] };
  }
}
