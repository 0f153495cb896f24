import { type CallSqs, createBatchSender, type Origin } from './batch-sender.ts';

/** Work at an external service that a change of an item requires. It contains only ids, because the worker reads the item again. */
export interface Job<Name extends string = string> {
  job: Name;
  /** Key of the item. */
  key: { pk: string; sk: string };
  /** The account that the item belongs to. */
  accountId?: string | undefined;
  /** Additional input, such as the name of the execution to start. */
  detail?: string | undefined;
}

/** The queue of the jobs for one service. */
export interface JobQueue<Name extends string = string> {
  /**
   * Sends any number of jobs. Throws if a job could not be sent.
   * @param delay seconds until the jobs may run, at most 900
   */
  send(jobs: readonly Job<Name>[], delay?: number): Promise<void>;
}

/** SQS implementation. The account is the message group, which makes a standard queue fair. */
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
            // The local run's SQS drops the groups of standard queues.
            MessageAttributes: { group: { DataType: 'String', StringValue: MessageGroupId } },
          });
        }),
      );
    },
  };
}
