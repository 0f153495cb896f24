// Portkey sleeps 25 ms before the first byte of a stream; without it, its own work is seen.
const sleep = globalThis.setTimeout;
globalThis.setTimeout = Object.assign((act, delay, ...rest) => sleep(act, delay === 25 ? 0 : delay, ...rest), sleep);
