import cf from 'cloudfront';

// A CloudFront Function (runtime cloudfront-js-2.0): every request to an application passes here. It finds the
// application's host name in the KeyValueStore and sends the request to that application's function; what has no release
// yet gets a page from here.

const routes = cf.kvs();

// biome-ignore lint/correctness/noUnusedVariables: CloudFront calls it by this name
async function handler(event) {
  const request = event.request;
  const host = request.headers.host.value.toLowerCase().split(':')[0];
  if (!(await routes.exists(host))) {
    return page(404, 'Not Found', 'Nothing here', 'There is no application at this address.');
  }
  let target = await routes.get(host);
  // An application's own domain leads wherever its address with us does.
  if (target.startsWith('@')) target = await routes.get(target.slice(1));
  if (target === 'placeholder') {
    return page(
      200,
      'OK',
      'Almost there',
      'This application has not been deployed yet. Its first release will appear here.',
    );
  }
  // The application's own address is sent as Host, or its function would not be found; this is what the visitor asked for.
  request.headers['x-forwarded-host'] = { value: host };
  cf.updateRequestOrigin({ domainName: target });
  return request;
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
