/** A domain whose records changed: ids only. */
export interface MirrorMessage {
  accountId: string;
  domainId: string;
}

/** Who has zones mirrored, soon. */
export interface MirrorQueue {
  /** Sends any number of messages; throws if one could not be sent. */
  send(zones: readonly MirrorMessage[]): Promise<void>;
}

/** What one call takes. */
const BATCH = 10;

type CallSqs = <Output>(operation: string, input: object) => Promise<Output>;

/** SQS. Messages say which domain and nothing of what changed: what is mirrored is what the table then holds. */
export function createMirrorQueue(callSqs: CallSqs, QueueUrl: string): MirrorQueue {
  return {
    async send(zones) {
      for (let from = 0; from < zones.length; from += BATCH) {
        const Entries = zones
          .slice(from, from + BATCH)
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
