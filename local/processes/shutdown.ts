type Stop = () => Promise<unknown> | unknown;

/** What was started, to be stopped in the opposite order. */
export interface Lifetime {
  /** Takes charge of a part; gives it back as it came. */
  started<T extends { stop(): Promise<unknown> }>(part: T): T;
  /** Stops everything, the last started first. Twice is once. */
  end(): Promise<void>;
}

/** @param last what is stopped when nothing else is left, in this order */
export function lifetime(...last: Stop[]): Lifetime {
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
