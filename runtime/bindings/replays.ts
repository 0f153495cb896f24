import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { createReplays } from '../../providers/queues/replays.ts';
import { callAws } from '../aws/client.ts';

const lambda = new LambdaClient({});

export const replays = createReplays(
  (operation, input) => callAws('streams.dynamodb', operation, input),
  async (FunctionName, event, waits) => {
    const { FunctionError, Payload } = await lambda.send(
      new InvokeCommand({
        FunctionName,
        InvocationType: waits ? 'RequestResponse' : 'Event',
        Payload: JSON.stringify(event),
      }),
    );
    return FunctionError === undefined
      ? undefined
      : Buffer.from(Payload ?? [])
          .toString('utf8')
          .slice(0, 500);
  },
);
