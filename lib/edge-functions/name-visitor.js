// A CloudFront Function (runtime cloudfront-js-2.0): tells the API who is at the other end, for API Gateway sees
// CloudFront's address only. What a visitor sent under this name is overwritten.
// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it by this name
function handler(event) {
  const request = event.request;
  request.headers['x-viewer-address'] = { value: event.viewer.ip };
  return request;
}
