// A CloudFront Function (runtime cloudfront-js-2.0) for requests to the API and the AI gateway. It passes the visitor's IP
// address on, because API Gateway sees only CloudFront's address, and overwrites a header of this name that the visitor
// sent. It refuses bodies that Lambda would answer with a 413 of its own: those of more than 6 MiB
// (contract/limits/aws-limits.ts, lambdaPayloadBytes).
const MAX_BODY_BYTES = 6 * 1024 * 1024;

// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls this name
function handler(event) {
  const request = event.request;
  const length = request.headers['content-length'];
  if (length && Number(length.value) > MAX_BODY_BYTES) {
    return {
      statusCode: 400,
      statusDescription: 'Bad Request',
      headers: {
        'content-type': { value: 'application/json; charset=utf-8' },
        'cache-control': { value: 'no-store' },
        'access-control-allow-origin': { value: '*' },
        'access-control-expose-headers': { value: '*' },
        'x-request-id': { value: event.context.requestId },
      },
      body: JSON.stringify({
        error: { message: 'body: must be at most 6 MiB', code: 'invalid_request', status: 400 },
      }),
    };
  }
  request.headers['x-viewer-address'] = { value: event.viewer.ip };
  // AWS would trace each request whose header asks for it, at a price, under an id that the visitor chose.
  delete request.headers['x-amzn-trace-id'];
  return request;
}
