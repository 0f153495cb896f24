// A CloudFront Function (runtime cloudfront-js-2.0) that passes the visitor's IP address to the API, because API
// Gateway sees only CloudFront's address. It overwrites a header of this name that the visitor sent.
// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls this name
function handler(event) {
  const request = event.request;
  request.headers['x-viewer-address'] = { value: event.viewer.ip };
  return request;
}
