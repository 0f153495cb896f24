// Portkey sleeps 25 ms before the first byte of a stream. Removing the sleep shows its own work.
const sleep = globalThis.setTimeout;
globalThis.setTimeout = Object.assign((act, delay, ...rest) => sleep(act, delay === 25 ? 0 : delay, ...rest), sleep);
