import { expect, test } from 'vitest';
import { describeFailure } from './failure-words.ts';

const ARN = 'arn:aws:lambda:af-south-1:1:function:hosting-prod-stream-onTableChange';

test.each([
  [
    { accountId: 'acc_1', webhookId: 'whk_1', eventId: 'evt_1', deliveryId: 'dlv_1', step: 1 },
    { description: 'Attempt 2 at delivery dlv_1 of event evt_1 to endpoint whk_1', accountId: 'acc_1', error: null },
  ],
  [
    { accountId: 'acc_1', domainId: 'dom_1' },
    { description: 'Sync of the zone of domain dom_1', accountId: 'acc_1', error: null },
  ],
  [
    {
      requestContext: { functionArn: ARN, condition: 'RetryAttemptsExhausted' },
      DDBStreamBatchInfo: { shardId: 'shard-1', startSequenceNumber: '100', batchSize: 1 },
    },
    {
      description: '1 changes from 100 of shard shard-1, refused by hosting-prod-stream-onTableChange',
      ...{ accountId: null, error: 'RetryAttemptsExhausted' },
    },
  ],
  [
    {
      requestContext: { functionArn: ARN, condition: 'RetriesExhausted' },
      responsePayload: { errorMessage: 'no table' },
    },
    { description: 'Run of hosting-prod-stream-onTableChange', accountId: null, error: 'no table' },
  ],
  ['{}', { description: '{}', accountId: null, error: null }],
])('%j is described in words', (message, described) => {
  expect(describeFailure(typeof message === 'string' ? message : JSON.stringify(message))).toEqual(described);
});
