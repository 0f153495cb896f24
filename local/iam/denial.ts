import type { WireResponse } from '../emulators/wire.ts';

/** A refusal as it is sent: the error's name and its message. */
export interface Refusal {
  name: string;
  message: string;
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

type Format = (refusal: Refusal) => WireResponse;

const json =
  (status: number, contentType: string): Format =>
  ({ name, message }) => ({
    status,
    headers: { 'content-type': contentType, 'x-amzn-errortype': name },
    body: Buffer.from(JSON.stringify({ __type: name, message, Message: message })),
  });
const xml =
  (root: (error: string) => string): Format =>
  ({ name, message }) => ({
    status: 403,
    headers: { 'content-type': 'text/xml' },
    body: Buffer.from(root(`<Code>${name}</Code><Message>${escapeXml(message)}</Message>`)),
  });
const errorResponse = xml(
  (error) => `<ErrorResponse><Error><Type>Sender</Type>${error}</Error><RequestId>local</RequestId></ErrorResponse>`,
);
const rest = json(403, 'application/json');

/** Formats by service; the others speak the JSON protocol, which answers 400. */
const FORMATS: Readonly<Record<string, Format>> = {
  s3: xml((error) => `<?xml version="1.0" encoding="UTF-8"?><Error>${error}</Error>`),
  sts: errorResponse,
  route53: errorResponse,
  cloudfront: errorResponse,
  lambda: rest,
  dsql: rest,
  'cloudfront-keyvaluestore': rest,
};
const DEFAULT = json(400, 'application/x-amz-json-1.0');

/** Services whose protocol is XML name the error without `Exception`. */
const IN_XML: readonly string[] = ['s3', 'sts', 'route53', 'cloudfront'];

/** Returns the response of a service to a request that its caller has no right to, as the service words it. */
export const accessDenied = (service: string, message: string): WireResponse =>
  (FORMATS[service] ?? DEFAULT)({
    name: IN_XML.includes(service) ? 'AccessDenied' : 'AccessDeniedException',
    message,
  });

/** Returns the response to credentials that do not belong together, or have expired. */
export const invalidToken = (service: string): WireResponse =>
  (FORMATS[service] ?? DEFAULT)({
    name: IN_XML.includes(service) ? 'InvalidClientTokenId' : 'UnrecognizedClientException',
    message: 'The security token included in the request is invalid.',
  });
