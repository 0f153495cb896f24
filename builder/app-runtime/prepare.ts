import { reportOtherPort } from './other-port.ts';
import { logRequests } from './request-log.ts';
import { markOutput } from './request-output.ts';
import { guardSharedCache } from './shared-cache.ts';
import { restoreVisitedHost } from './visited-host.ts';

/**
 * Prepares a Node process before the application's code runs: restores the visited host, keeps responses for a single visitor out of the
 * edge's cache, logs requests, and reports if the application listens on another port.
 */
export function prepareToServe({ AWS_LAMBDA_FUNCTION_VERSION = '', PORT }: NodeJS.ProcessEnv): void {
  guardSharedCache(AWS_LAMBDA_FUNCTION_VERSION);
  // These bind the original `write`: their lines have their own limit instead of that of the application's output.
  if (!PORT) return;
  restoreVisitedHost(Number(PORT));
  reportOtherPort(Number(PORT), process.stderr.write.bind(process.stderr));
  logRequests(process.stdout.write.bind(process.stdout), Number(PORT));
  markOutput([process.stdout, process.stderr]);
}
