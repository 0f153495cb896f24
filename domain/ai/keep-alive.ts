export const STREAM_TYPE = 'text/event-stream; charset=utf-8';
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The part of a response that is written before its answer is there. */
interface Head {
  begin(headers: Record<string, string>): void;
  write(bytes: Buffer): unknown;
}

/** A comment of the event stream, and a space before a JSON document: every client skips them. */
const BEATS = { [STREAM_TYPE]: ': waiting for the model\n\n', [JSON_TYPE]: ' ' };

/**
 * Keeps a response alive while a model has answered and its answer is not there. The edge ends a connection that is silent for too long
 * (contract/limits/timeouts.ts), and its caller would pay for an answer that never arrives. So a response that takes longer
 * begins without its answer, as a success; what fails later is told in its body, as in a stream. Until the provider's status is known
 * nothing begins: a failure has its own.
 */
export class KeepAlive {
  /** True once the response has begun. */
  isBegun = false;
  #timer: NodeJS.Timeout;

  /**
   * @param milliseconds between two bytes for the caller
   * @param silentMs milliseconds for which the caller has waited already
   */
  constructor(head: Head, contentType: typeof STREAM_TYPE | typeof JSON_TYPE, milliseconds: number, silentMs: number) {
    const beat = () => {
      if (!this.isBegun) head.begin({ 'content-type': contentType });
      this.isBegun = true;
      head.write(Buffer.from(BEATS[contentType]));
      this.#timer = setTimeout(beat, milliseconds);
    };
    this.#timer = setTimeout(beat, Math.max(0, milliseconds - silentMs));
  }

  /** Ends the beats: the answer is there, or never comes. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
