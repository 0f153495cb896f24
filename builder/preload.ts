/**
 * Runs inside each process of Node that serves an application, before its code: shows it the host that was visited, keeps responses out of
 * the edge's cache that are one visitor's own, and logs requests. Part of environment.ts; on its own where a start command's own
 * processes inherit it (launch.ts): their variables are opened already, so that nothing is awaited.
 */
import { logRequests } from './package/request-log.ts';
import { markOutput } from './package/request-output.ts';
import { guardSharedCache } from './package/shared-cache.ts';
import { restoreVisitedHost } from './package/visited-host.ts';

const { AWS_LAMBDA_FUNCTION_VERSION = '', PORT } = process.env;

guardSharedCache(AWS_LAMBDA_FUNCTION_VERSION);
// Beside the limit of the application's output: these lines have one of their own.
if (PORT) {
  restoreVisitedHost(Number(PORT));
  logRequests(process.stdout.write.bind(process.stdout), Number(PORT));
  markOutput([process.stdout, process.stderr]);
}
