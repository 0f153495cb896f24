import type { IncomingHttpHeaders } from 'node:http';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';

/** Content types whose bodies are text in an event. */
const TEXT = /^(text\/|application\/(json|javascript|xml)\b|application\/[^;]+\+(json|xml)\b)/i;

/** Returns true if an event has a request's body as text; all others are in base64. */
export const isTextBody = ({ 'content-type': type = '', 'content-encoding': encoding }: IncomingHttpHeaders): boolean =>
  TEXT.test(type) && encoding === undefined;

/** Returns true if a body of so many bytes is too large for an event, without its headers and what JSON escapes. */
export const exceedsEvent = (headers: IncomingHttpHeaders, bytes: number): boolean =>
  (isTextBody(headers) ? bytes : Math.ceil(bytes / 3) * 4) > AWS_LIMITS.lambdaPayloadBytes.value;
