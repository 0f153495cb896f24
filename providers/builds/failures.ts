/** Reasons of a failed build that the builder gives, and the platform where the builder could not. */

/** The reason of a failure that the owner of the application cannot act on: operators are told. */
export const PLATFORM_FAULT = 'Something went wrong on our side. Deploying again is safe.';

/** Returns the reason of a build that took too long. @param seconds the limit */
export const timeLimitExceeded = (seconds: number): string =>
  `The build was stopped: it exceeded the limit of ${seconds < 120 ? `${seconds} seconds` : `${Math.floor(seconds / 60)} minutes`}.`;
