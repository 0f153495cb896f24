export const STREAM_TYPE = 'text/event-stream; charset=utf-8';
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The parts of the response sink that a keep-alive needs. */
interface Head {
  begin(headers: Record<string, string>): void;
  write(bytes: Buffer): unknown;
}

/** A comment in an event stream, and a space before a JSON document. Every client ignores them. */
const BEATS = { [STREAM_TYPE]: ': waiting for the model\n\n', [JSON_TYPE]: ' ' };

/**
 * Keeps a response alive between the provider's status and the first byte of the model's answer. The edge closes a connection that is
 * silent for too long (contract/limits/timeouts.ts), and the caller would pay for an answer that never arrives. Therefore a slow
 * response begins with status 200 before its answer is known, and the body reports a later failure, as in a stream. Start it
 * only when the provider's status is known: a failure has its own status.
 */
export class KeepAlive {
  /** True once the response has begun. */
  isBegun = false;
  #timer: NodeJS.Timeout;

  /**
   * @param headers headers of the response in addition to its content type
   * @param milliseconds between two bytes for the caller
   * @param silentMs milliseconds for which the caller has already waited
   */
  constructor(
    head: Head,
    contentType: typeof STREAM_TYPE | typeof JSON_TYPE,
    headers: Record<string, string>,
    milliseconds: number,
    silentMs: number,
  ) {
    const beat = () => {
      if (!this.isBegun) head.begin({ 'content-type': contentType, ...headers });
      this.isBegun = true;
      head.write(Buffer.from(BEATS[contentType]));
      this.#timer = setTimeout(beat, milliseconds);
    };
    this.#timer = setTimeout(beat, Math.max(0, milliseconds - silentMs));
  }

  /** Stops the keep-alive bytes: the answer has arrived or failed. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
