import type { WireResponse } from '../emulators/wire.ts';

/** The name and message of an error response. */
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

/** Formats by service. All other services use the JSON protocol with status 400. */
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

/** Services with an XML protocol. Their error names lack the suffix `Exception`. */
const XML_SERVICES: readonly string[] = ['s3', 'sts', 'route53', 'cloudfront'];

/** Returns a service's response to a request whose caller lacks a right. */
export const accessDenied = (service: string, message: string): WireResponse =>
  (FORMATS[service] ?? DEFAULT)({
    name: XML_SERVICES.includes(service) ? 'AccessDenied' : 'AccessDeniedException',
    message,
  });

/** Returns a service's response to credentials that do not match or have expired. */
export const invalidToken = (service: string): WireResponse =>
  (FORMATS[service] ?? DEFAULT)({
    name: XML_SERVICES.includes(service) ? 'InvalidClientTokenId' : 'UnrecognizedClientException',
    message: 'The security token included in the request is invalid.',
  });
