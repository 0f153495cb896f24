/** Returns true for an error of an AWS service that has one of these names. */
export const isAwsError = (error: unknown, ...names: string[]): error is Error =>
  error instanceof Error && names.includes(error.name);

/** Returns the response of an AWS service, or for an error whose name is in `answers` the answer there. Throws other errors. */
export async function tolerate<T, A>(response: Promise<T>, answers: Readonly<Record<string, A>>): Promise<T | A> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof Error && Object.hasOwn(answers, error.name)) return answers[error.name] as A;
    throw error;
  }
}
