/** Failure reasons of builds. The builder reports them, or the platform if the builder could not. */

/** The reason of a failure that the application's owner cannot fix. Operators are alerted. */
export const PLATFORM_FAULT = 'Something went wrong on our side. Deploying again is safe.';

/** Returns the reason for a build that took too long. @param seconds the limit */
export const timeLimitExceeded = (seconds: number): string =>
  `The build was stopped: it exceeded the limit of ${seconds < 120 ? `${seconds} seconds` : `${Math.floor(seconds / 60)} minutes`}.`;
