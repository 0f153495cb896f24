import cf from 'cloudfront';

// A CloudFront Function (runtime cloudfront-js-2.0) that receives every request to an application. It looks up the
// application's host name in the KeyValueStore and sends the request to that application's function. It runs before the cache
// is asked, so that nothing cached of an application outlives its suspension or its end. An application
// without a release gets a placeholder page from here.

const routes = cf.kvs();

// Static files by their extensions. Pages and data (HTML, JSON, XML) are not among them: they are often made for one visitor or
// change between releases, whatever their headers say.
const STATIC_FILE =
  /\.(avif|bmp|css|csv|docx?|eot|flac|gif|ico|jar|jpe?g|js|m4a|map|mid|mjs|mov|mp3|mp4|ogg|opus|otf|pdf|png|pptx?|svgz?|tiff?|ttf|txt|wasm|wav|weba|webm|webmanifest|webp|woff2?|xlsx?|zip|zst)$/i;

// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls this name
async function handler(event) {
  const request = event.request;
  const host = request.headers.host.value.toLowerCase().split(':')[0];
  let address = host;
  let target = await find(host);
  // A custom domain's entry names the application's default host name.
  if (target.startsWith('@')) {
    address = target.slice(1);
    target = await find(address);
  }
  if (target === '') {
    return page(
      404,
      'Not Found',
      'Nothing here',
      'There is no application at this address. A new one appears here within a minute of its creation.',
    );
  }
  // Beside the route and not in its place: a release that is switched to meanwhile changes the route only.
  if (await routes.exists(`suspended:${address}`)) {
    return page(
      503,
      'Service Unavailable',
      'Suspended',
      'This application is suspended. Its owner finds the reason in the dashboard.',
    );
  }
  if (target === 'placeholder') {
    return page(
      200,
      'OK',
      'Almost there',
      'This application has not been deployed yet. Its first release will appear here.',
    );
  }
  // Functions do not see the header Upgrade; each WebSocket handshake has this one as well (RFC 6455, 4.1).
  if (request.headers['sec-websocket-key']) {
    return {
      statusCode: 501,
      statusDescription: 'Not Implemented',
      headers: { 'content-type': { value: 'text/plain; charset=utf-8' }, 'cache-control': { value: 'no-store' } },
      body: 'WebSockets are not supported here. Use HTTP requests, server-sent events or long polling.\n',
    };
  }
  // The function's URL needs its own host name in Host; this header keeps the host name that the visitor requested.
  request.headers['x-forwarded-host'] = { value: host };
  // Both headers are part of the cache's key (lib/constructs/app-cache.ts). A release and a rollback change the route, and so
  // the key of every file. `-` and a text that no other request has stand for a response that is one visitor's own.
  // The runtime has no destructuring.
  const entry = target.split(' ');
  const domainName = entry[0];
  const release = entry[1];
  const isShared =
    release && /^(GET|HEAD)$/.test(request.method) && !request.headers.authorization && STATIC_FILE.test(request.uri);
  request.headers['x-app-release'] = { value: isShared ? release : `-${event.context.requestId}` };
  cf.updateRequestOrigin({ domainName });
  return request;
}

// Returns an entry; empty text if there is none, for which CloudFront throws.
async function find(key) {
  try {
    return await routes.get(key);
  } catch (error) {
    if (await routes.exists(key)) throw error;
    return '';
  }
}

function page(statusCode, statusDescription, title, text) {
  const style =
    'body{font:18px/1.6 system-ui,sans-serif;max-width:32em;margin:20vh auto;padding:0 1em;color:#1c2430;background:#f7f8fa}' +
    '@media(prefers-color-scheme:dark){body{color:#e6e9ef;background:#12161c}}';
  return {
    statusCode,
    statusDescription,
    headers: {
      'content-type': { value: 'text/html; charset=utf-8' },
      'cache-control': { value: 'no-store' },
    },
    body:
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
      `<title>${title}</title><style>${style}</style><h1>${title}</h1><p>${text}</p></html>`,
  };
}
