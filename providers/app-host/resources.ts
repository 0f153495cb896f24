import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';

/** Resources of a hosted application, and the errors of its host. Imports the contract only, so that texts can use them without Lambda's client. */

/** The alias of an application's function that receives visitors' requests. */
export const LIVE_ALIAS = 'live';
/** Memory in MB. */
export const MEMORY_MB = 1024;
/** Maximum duration of a request, and of a start, in seconds. */
export const TIMEOUT_SECONDS = TIMEOUTS_S.release.request;

/** The host throttles changes at the moment. */
export class HostThrottled extends Error {
  override readonly name = 'HostThrottled';
}

/** The host no longer accepts releases on this version of Node. */
export class RuntimeRetired extends Error {
  override readonly name = 'RuntimeRetired';
  readonly nodeVersion: string;

  constructor(nodeVersion: string) {
    super(`Node ${nodeVersion} is not available any more`);
    this.nodeVersion = nodeVersion;
  }
}
