import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';

/** Resources of a hosted application, and what its host refuses. No imports but the contract, so that texts can name them without Lambda’s client. */

/** The alias of an application's function that serves its visitors. */
export const LIVE_ALIAS = 'live';
/** Memory in MB. */
export const MEMORY_MB = 1024;
/** The longest that a request may take, in seconds; a start may take as long. */
export const TIMEOUT_SECONDS = TIMEOUTS_S.release.request;

/** The host takes no more changes for now: its rate is used up. */
export class HostThrottled extends Error {
  override readonly name = 'HostThrottled';
}

/** The host does not take releases on this version of Node any more. */
export class RuntimeRetired extends Error {
  override readonly name = 'RuntimeRetired';
  readonly nodeVersion: string;

  constructor(nodeVersion: string) {
    super(`Node ${nodeVersion} is not available any more`);
    this.nodeVersion = nodeVersion;
  }
}
