import type { LambdaClient } from '@aws-sdk/client-lambda';
import { isAwsError } from '../aws-errors.ts';

/** Returns true if there is no such function, version or alias. */
export const isMissing = (error: unknown): boolean => isAwsError(error, 'ResourceNotFoundException');

/** Returns true if Lambda refused a request because its rate is used up. */
export const isThrottled = (error: unknown): boolean => isAwsError(error, 'TooManyRequestsException');

/** Lambda's words for a runtime past the end of its support; the error's name is that of any invalid parameter. */
export const isRuntimeRetired = (error: unknown): boolean =>
  isAwsError(error, 'InvalidParameterValueException') && /runtime.*no longer supported/i.test(String(error));

/** Lambda's words for a version that is not published, because the function's code is another one by now. */
export const isCodeReplaced = (error: unknown): boolean =>
  isAwsError(error, 'InvalidParameterValueException') && /CodeSHA256 .*is different from current/i.test(String(error));

/** Returns true while a function is being made or changed on behalf of another caller, or was made by one meanwhile. */
export const isBusy = (error: unknown): boolean => isAwsError(error, 'ResourceConflictException');

/** Lambda's words for a version that an alias points to; the error's name is that of a busy function, too. */
export const isServing = (error: unknown): boolean => isBusy(error) && /alias/i.test(String(error));

/** Lambda's words for a permission that was given before; the error's name is that of a busy function, too. */
export const isGranted = (error: unknown): boolean =>
  isBusy(error) && /statement id .*already exists/i.test(String(error));

/** Returns a set of listeners that are called for each attempt of a client that Lambda throttles, also where the client repeats it. */
export function observeThrottling(client: LambdaClient): Set<() => void> {
  const listeners = new Set<() => void>();
  client.middlewareStack.add(
    (next) => async (input) => {
      try {
        return await next(input);
      } catch (error) {
        if (isThrottled(error)) for (const listener of listeners) listener();
        throw error;
      }
    },
    // Inside of the client's own repetitions.
    { step: 'finalizeRequest', priority: 'low' },
  );
  return listeners;
}
