import type { ProviderFailure } from '../../providers/ai/failures.ts';
import type { ProviderId } from '../../providers/ai/registry.ts';
import type { Usage } from '../../providers/ai/usage.ts';

/** Result of a call, for metrics and the log. It holds nothing of the prompt or the response. */
export interface Report {
  provider: ProviderId | undefined;
  model: string;
  saved: boolean;
  usage: Usage | undefined;
  estimated: boolean;
  chargedMicroRand: number;
  writtenOffMicroRand: number;
  /** Milliseconds, until the first byte for the caller; undefined when none came. */
  firstByte: number | undefined;
  /** Milliseconds of that which were ours. */
  overhead: number | undefined;
  failure: ProviderFailure | undefined;
  callerLeft: boolean;
  /** The charge could not be written: the hold will come back and the call was free. */
  settlementFailed: boolean;
  /** Writes at the end of the call that failed, and are made up for when its window closes (domain/ai/closing.ts). */
  unwritten: string[];
}

/** Returns the report of a call that has just begun. */
export const newReport = (model: string): Report => ({
  provider: undefined,
  model,
  saved: false,
  usage: undefined,
  estimated: false,
  chargedMicroRand: 0,
  writtenOffMicroRand: 0,
  firstByte: undefined,
  overhead: undefined,
  failure: undefined,
  callerLeft: false,
  settlementFailed: false,
  unwritten: [],
});
