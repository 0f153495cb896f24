/** Returns true for an error of an AWS service that has one of these names. */
export const isAwsError = (error: unknown, ...names: string[]): error is Error =>
  error instanceof Error && names.includes(error.name);
