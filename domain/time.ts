export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Returns the time, in ISO 8601, so many milliseconds after another one. */
export const timestampAfter = (time: string | number | Date, milliseconds: number): string =>
  new Date(new Date(time).getTime() + milliseconds).toISOString();

/** Returns the milliseconds between two times, whichever is the later one: that of a clock that was set back since lies ahead. */
export const millisecondsBetween = (one: string | Date, other: string | Date): number =>
  Math.abs(new Date(one).getTime() - new Date(other).getTime());

/** Returns the time, in ISO 8601, so many milliseconds before another one. */
export const timestampBefore = (time: string | number | Date, milliseconds: number): string =>
  timestampAfter(time, -milliseconds);
