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

/** Messages that one call accepts. */
const BATCH_SIZE = 10;

type CallSqs = <Output>(operation: string, input: object) => Promise<Output>;

/** SQS. Messages say which domain and nothing of what changed: what is mirrored is what the table then holds. */
export function createZoneSyncQueue(callSqs: CallSqs, QueueUrl: string): ZoneSyncQueue {
  return {
    async send(zones) {
      for (let from = 0; from < zones.length; from += BATCH_SIZE) {
        const Entries = zones
          .slice(from, from + BATCH_SIZE)
          .map((zone, index) => ({ Id: String(index), MessageBody: JSON.stringify(zone) }));
        const { Failed = [] } = await callSqs<{ Failed?: { Code: string }[] }>('SendMessageBatch', {
          QueueUrl,
          Entries,
        });
        if (Failed[0]) throw new Error(`SQS took all but ${Failed.length} messages: ${Failed[0].Code}`);
      }
    },
  };
}
