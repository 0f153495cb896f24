type Stop = () => Promise<unknown> | unknown;

/** Started parts, which are stopped in reverse order. */
export interface ShutdownStack {
  /** Registers a part and returns it. */
  started<T extends { stop(): Promise<unknown> }>(part: T): T;
  /** Stops all parts, the last started first. Further calls have no effect. */
  end(): Promise<void>;
}

/**
 * Creates a shutdown list.
 * @param last parts that are stopped after all others, in this order
 */
export function createShutdown(...last: Stop[]): ShutdownStack {
  const stops = last.toReversed();
  return {
    started(part) {
      stops.push(() => part.stop());
      return part;
    },
    async end() {
      for (const stop of stops.splice(0).reverse()) await stop();
    },
  };
}
