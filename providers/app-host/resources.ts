import { TIMEOUTS_S } from '../../contract/timeouts.ts';

/** Resources of a hosted application. No imports but the contract, so that texts can name them without Lambda’s client. */

/** Memory in MB. */
export const MEMORY_MB = 1024;
/** The longest that a request may take, in seconds; a start may take as long. */
export const TIMEOUT_SECONDS = TIMEOUTS_S.release.request;
