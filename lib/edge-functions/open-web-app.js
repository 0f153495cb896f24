// A CloudFront Function (runtime cloudfront-js-2.0) for the dashboard, a single-page app: every path that is not a file
// is answered with the page.
// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls this name
function handler(event) {
  const request = event.request;
  if (!/\.(js|css|svg|json|png|ico|woff2)$/.test(request.uri)) request.uri = '/dashboard/index.html';
  return request;
}
