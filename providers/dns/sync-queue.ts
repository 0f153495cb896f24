import { type CallSqs, createBatchSender } from '../queues/batch-sender.ts';

/** A domain whose records changed: ids only. */
export interface ZoneSyncMessage {
  accountId: string;
  domainId: string;
}

/** The queue of zones to be synced. */
export interface ZoneSyncQueue {
  /** Sends any number of messages; throws if one could not be sent. */
  send(zones: readonly ZoneSyncMessage[]): Promise<void>;
}

/** SQS. Messages say which domain and nothing of what changed: what is mirrored is what the table then holds. */
export function createZoneSyncQueue(callSqs: CallSqs, QueueUrl: string): ZoneSyncQueue {
  const sendEntry = createBatchSender(callSqs, QueueUrl);
  return {
    async send(zones) {
      await Promise.all(zones.map((zone) => sendEntry({ message: zone })));
    },
  };
}
