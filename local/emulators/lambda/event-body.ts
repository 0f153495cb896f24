import type { IncomingHttpHeaders } from 'node:http';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';

/** Content types whose bodies an event contains as text. */
const TEXT = /^(text\/|application\/(json|javascript|xml)\b|application\/[^;]+\+(json|xml)\b)/i;

/** Returns true if an event contains a request's body as text, and false if it contains the body in base64. */
export const isTextBody = ({ 'content-type': type = '', 'content-encoding': encoding }: IncomingHttpHeaders): boolean =>
  TEXT.test(type) && encoding === undefined;

/** Returns true if a body is too large for an event. Ignores the headers and JSON's escape sequences. */
export const exceedsEvent = (headers: IncomingHttpHeaders, bytes: number): boolean =>
  (isTextBody(headers) ? bytes : Math.ceil(bytes / 3) * 4) > AWS_LIMITS.lambdaPayloadBytes.value;
