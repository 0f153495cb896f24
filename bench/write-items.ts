import { type AttributeValue, BatchWriteItemCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';

const BATCH_SIZE = 25;

/** Writes items in DynamoDB's notation into a table. */
export async function writeItems(
  { endpoint, tableName }: { endpoint: string; tableName: string },
  items: readonly object[],
): Promise<void> {
  const client = new DynamoDBClient({ endpoint });
  for (let start = 0; start < items.length; start += BATCH_SIZE) {
    const puts = items
      .slice(start, start + BATCH_SIZE)
      .map((item) => ({ PutRequest: { Item: item as Record<string, AttributeValue> } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: puts } }));
  }
  client.destroy();
}
