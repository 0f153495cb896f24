import { LambdaClient } from '@aws-sdk/client-lambda';
import { setCredentials } from '../../runtime/config.ts';

/** Returns the provider of the caller's credentials. The SDK finds and renews them: environment, profile, single sign-on. */
export const callerCredentials = (region: string) => new LambdaClient({ region }).config.credentials;

let caller: ReturnType<typeof callerCredentials> | undefined;

/** Makes the runtime's modules sign with the caller's credentials. Throws if there are none. */
export async function signAsCaller(region: string): Promise<void> {
  caller = callerCredentials(region);
  await renewCredentials();
}

/** Replaces credentials that have expired or expire soon. Has no effect in the local run, whose credentials do not expire. */
export async function renewCredentials(): Promise<void> {
  if (caller) setCredentials(await caller());
}
