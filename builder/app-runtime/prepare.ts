import { reportOtherPort } from './other-port.ts';
import { logRequests } from './request-log.ts';
import { markOutput } from './request-output.ts';
import { guardSharedCache } from './shared-cache.ts';
import { restoreVisitedHost } from './visited-host.ts';

/**
 * Prepares a process of Node to serve an application, before the application's code runs: shows it the host that was visited, keeps
 * responses out of the edge's cache that are one visitor's own, logs requests, and says so where it listens on another port.
 */
export function prepareToServe({ AWS_LAMBDA_FUNCTION_VERSION = '', PORT }: NodeJS.ProcessEnv): void {
  guardSharedCache(AWS_LAMBDA_FUNCTION_VERSION);
  // Beside the limit of the application's output: these lines have one of their own.
  if (!PORT) return;
  restoreVisitedHost(Number(PORT));
  reportOtherPort(Number(PORT), process.stderr.write.bind(process.stderr));
  logRequests(process.stdout.write.bind(process.stdout), Number(PORT));
  markOutput([process.stdout, process.stderr]);
}
