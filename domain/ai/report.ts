import type { ProviderFailure } from '../../providers/ai/failures.ts';
import type { ProviderId } from '../../providers/ai/registry.ts';
import type { Usage } from '../../providers/ai/usage.ts';

/** Result of a call, for metrics and the log. It contains nothing of the prompt or the response. */
export interface Report {
  provider: ProviderId | undefined;
  model: string;
  saved: boolean;
  usage: Usage | undefined;
  estimated: boolean;
  chargedMicroRand: number;
  writtenOffMicroRand: number;
  /** Milliseconds until the first byte for the caller; undefined if there was none. */
  firstByte: number | undefined;
  /** The part of `firstByte` that the gateway spent itself, in milliseconds. */
  overhead: number | undefined;
  failure: ProviderFailure | undefined;
  /** Code of the error that the body of a response ends with, although its status is 200. */
  bodyError: string | undefined;
  /** The error of reading whether operators have replaced a refused key. */
  keyError: string | undefined;
  callerLeft: boolean;
  /** True if the charge could not be written: the call was free, and its hold is released when its window's calls are over. */
  settlementFailed: boolean;
  /** Failed writes at the end of the call. The close of its window repairs them (domain/ai/closing.ts). */
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
  bodyError: undefined,
  keyError: undefined,
  callerLeft: false,
  settlementFailed: false,
  unwritten: [],
});
