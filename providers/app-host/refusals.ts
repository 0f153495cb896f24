import type { LambdaClient } from '@aws-sdk/client-lambda';
import { isAwsError } from '../aws-errors.ts';

/** For `tolerate`: the function, version or alias does not exist. */
export const MISSING = { ResourceNotFoundException: undefined };
export const isMissing = (error: unknown): boolean => isAwsError(error, 'ResourceNotFoundException');

/** Returns true if Lambda throttled a request. */
export const isThrottled = (error: unknown): boolean => isAwsError(error, 'TooManyRequestsException');

/** Returns true if Lambda no longer supports the runtime. Only the message shows it: the error's name is that of any invalid parameter. */
export const isRuntimeRetired = (error: unknown): boolean =>
  isAwsError(error, 'InvalidParameterValueException') && /runtime.*no longer supported/i.test(String(error));

/** Returns true if Lambda did not publish a version because the function's code has changed in the meantime. */
export const isCodeReplaced = (error: unknown): boolean =>
  isAwsError(error, 'InvalidParameterValueException') && /CodeSHA256 .*is different from current/i.test(String(error));

/** Returns true if another caller is creating or changing the function, or has created it in the meantime. */
export const isBusy = (error: unknown): boolean => isAwsError(error, 'ResourceConflictException');

/**
 * Returns true if what a request creates exists: another caller has created it, or an earlier attempt whose response was lost. Only the
 * message shows it: a busy function has the same error name.
 */
export const isExisting = (error: unknown): boolean => isBusy(error) && /\bexists\b/i.test(String(error));

/** Returns true if an alias points to the version. Only the message shows it: a busy function has the same error name. */
export const isServing = (error: unknown): boolean => isBusy(error) && /alias/i.test(String(error));

/** Returns a set of listeners. They are called for each attempt that Lambda throttles, including those that the client retries. */
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
    // Runs inside of the client's retries.
    { step: 'finalizeRequest', priority: 'low' },
  );
  return listeners;
}
