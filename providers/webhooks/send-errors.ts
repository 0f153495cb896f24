import type { DELIVERY_OUTCOMES } from '../../contract/enums.ts';

export type Outcome = (typeof DELIVERY_OUTCOMES)[number];

/** A failure to receive a response, with its outcome as defined in the contract. */
export class SendError extends Error {
  readonly outcome: Outcome;
  constructor(outcome: Outcome, message: string) {
    super(message);
    this.outcome = outcome;
  }
}

/** The outcome of each of Node's error codes; the first match counts. */
const MEANINGS: readonly (readonly [RegExp, Outcome])[] = [
  [/^ECONNREFUSED$/, 'REFUSED'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE)$/, 'RESET'],
  [/^(ETIMEDOUT|ERR_SOCKET_CONNECTION_TIMEOUT)$/, 'TIMEOUT'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN|ENETDOWN|EINVAL|EACCES)$/, 'UNREACHABLE'],
  [/^(ENOTFOUND|EAI_.+|ENODATA|ESERVFAIL|EREFUSED|EBADNAME|ECANCELLED|EFORMERR)$/, 'DNS'],
  [/^(HPE_.+|Z_.+|ERR_BROTLI.*|ERR__ERROR_.+|ERR_ZSTD.*|ERR_PADDING_.*)$/, 'BAD_RESPONSE'],
  [/CERT|TLS|SSL|SELF_SIGNED|^UNABLE_TO_|^HOSTNAME_MISMATCH$|^EPROTO$|^INVALID_CA$|^PATH_LENGTH/, 'TLS'],
];

/** Matches errors of a process that has run out of file descriptors or memory. They say nothing about the receiver. */
const OWN_FAULT = /^(EMFILE|ENFILE|ENOMEM|ENOBUFS)$/;

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Converts an error of Node.js. An error without a known code counts as an invalid response. Throws errors caused by this process. */
export function toSendError(error: unknown): SendError {
  if (error instanceof SendError) return error;
  const code = codeOf(error);
  if (OWN_FAULT.test(code)) throw error;
  const found = MEANINGS.find(([pattern]) => pattern.test(code));
  const message = error instanceof Error ? error.message : String(error);
  return new SendError(found?.[1] ?? 'BAD_RESPONSE', message || code);
}
