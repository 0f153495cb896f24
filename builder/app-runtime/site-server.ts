/**
 * Serves a directory of static files. This is the program of releases whose build creates a site and no server
 * (docs/decisions/0039-any-node-project.md). Arguments: the directory, `--single` to serve the front page for unknown paths, and
 * `--handler=<module>` for a module whose default export answers all other requests by `fetch`.
 */
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { answerWithFetch, fetchOf } from '../site/fetch-handler.ts';
import { openSite } from '../site/site.ts';

const {
  positionals: [directory = '.'],
  values: { single, handler },
} = parseArgs({
  allowPositionals: true,
  options: { single: { type: 'boolean', default: false }, handler: { type: 'string' } },
});

/** Returns a handler of the requests that no file answers. */
async function openHandler(file: string) {
  const fetch = fetchOf(await import(pathToFileURL(resolve(file)).href));
  if (fetch === undefined) throw new Error(`The default export of ${file} has no function "fetch".`);
  return answerWithFetch.bind(undefined, fetch);
}

const site = openSite(resolve(directory), {
  single,
  ...(handler === undefined ? {} : { next: await openHandler(handler) }),
});
createServer((request, response) => {
  site(request, response).catch((error: unknown) => {
    console.error(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  });
}).listen(Number(process.env.PORT ?? 8080), '0.0.0.0');
