export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Adds milliseconds to a time. Returns ISO 8601. */
export const timestampAfter = (time: string | number | Date, milliseconds: number): string =>
  new Date(new Date(time).getTime() + milliseconds).toISOString();

/** Returns the UTC day of a time, such as `2026-11-30`. */
export const dayOf = (time: string | number | Date): string => new Date(time).toISOString().slice(0, 10);
/** Returns the UTC month of a time, such as `2026-11`. */
export const monthOf = (time: string | number | Date): string => new Date(time).toISOString().slice(0, 7);

/** Returns the distance of two times in milliseconds, in either order: a stored time lies in the future if the clock was set back since. */
export const millisecondsBetween = (one: string | Date, other: string | Date): number =>
  Math.abs(new Date(one).getTime() - new Date(other).getTime());

/** Subtracts milliseconds from a time. Returns ISO 8601. */
export const timestampBefore = (time: string | number | Date, milliseconds: number): string =>
  timestampAfter(time, -milliseconds);
