import { type CallSqs, createBatchSender } from '../queues/batch-sender.ts';

/** Names a domain whose records changed. */
export interface ZoneSyncMessage {
  accountId: string;
  domainId: string;
}

/** The queue of zones to sync. */
export interface ZoneSyncQueue {
  /** Sends any number of messages. Throws if a message could not be sent. */
  send(zones: readonly ZoneSyncMessage[]): Promise<void>;
}

/** SQS implementation. Messages name only the domain and not its changes: the sync reads the current records from the table. */
export function createZoneSyncQueue(callSqs: CallSqs, QueueUrl: string): ZoneSyncQueue {
  const sendEntry = createBatchSender(callSqs, QueueUrl);
  return {
    async send(zones) {
      await Promise.all(zones.map((zone) => sendEntry({ message: zone })));
    },
  };
}
