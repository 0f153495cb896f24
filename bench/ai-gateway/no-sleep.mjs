// Portkey sleeps 25 ms before the first byte of a stream. Without the sleep, the measurement shows Portkey's own work.
const sleep = globalThis.setTimeout;
globalThis.setTimeout = Object.assign((act, delay, ...rest) => sleep(act, delay === 25 ? 0 : delay, ...rest), sleep);
