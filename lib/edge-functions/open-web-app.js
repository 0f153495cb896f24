// A CloudFront Function (runtime cloudfront-js-2.0): the dashboard is one page that finds its way by itself. What is no
// file of it is that page.
// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it by this name
function handler(event) {
  const request = event.request;
  if (!/\.(js|css|svg|json|png|ico|woff2)$/.test(request.uri)) request.uri = '/dashboard/index.html';
  return request;
}
