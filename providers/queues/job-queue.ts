import { type CallSqs, createBatchSender, type Origin } from './batch-sender.ts';

/** Work at a service outside of the table that a change of an item calls for: ids only, because the item is read again. */
export interface Job<Name extends string = string> {
  job: Name;
  /** Key of the item that it is about. */
  key: { pk: string; sk: string };
  /** The account that the item belongs to. */
  accountId?: string | undefined;
  /** Beside the item, such as the name of the execution to be started. */
  detail?: string | undefined;
}

/** The queue of the jobs at one service. */
export interface JobQueue<Name extends string = string> {
  /**
   * Sends any number of jobs; throws if one could not be sent.
   * @param delay seconds until they may be performed, at most 900
   */
  send(jobs: readonly Job<Name>[], delay?: number): Promise<void>;
}

/** SQS. The account is each message's group: on a standard queue that makes the queue fair. */
export function createJobQueue<Name extends string>(
  callSqs: CallSqs,
  QueueUrl: string,
  origin: Origin = () => ({}),
): JobQueue<Name> {
  const sendEntry = createBatchSender(callSqs, QueueUrl);
  return {
    async send(jobs, DelaySeconds) {
      await Promise.all(
        jobs.map((job) => {
          const MessageGroupId = job.accountId ?? job.key.pk;
          return sendEntry({
            message: { ...job, ...origin() },
            MessageGroupId,
            ...(DelaySeconds === undefined ? {} : { DelaySeconds }),
            // The local run's SQS forgets a standard queue's groups.
            MessageAttributes: { group: { DataType: 'String', StringValue: MessageGroupId } },
          });
        }),
      );
    },
  };
}
