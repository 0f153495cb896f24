/**
 * Serves a directory of static files. This is the program of releases without a server of their own
 * (docs/decisions/0039-any-node-project.md). Arguments: the directory, which a handler does not need, `--single` to serve the front page
 * for unknown paths, and `--handler=<module>` for a module whose default export answers all other requests.
 */
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { handlerOf } from '../site/fetch-handler.ts';
import { openSite } from '../site/site.ts';

const {
  positionals: [directory],
  values: { single, handler },
} = parseArgs({
  allowPositionals: true,
  options: { single: { type: 'boolean', default: false }, handler: { type: 'string' } },
});

/** Returns a handler of the requests that no file answers. */
async function openHandler(file: string) {
  const found = handlerOf(await import(pathToFileURL(resolve(file)).href));
  if (found !== undefined) return found;
  throw new Error(
    `The default export of ${file} answers no requests: it is neither a function nor has one named "fetch".`,
  );
}

const next = handler === undefined ? undefined : await openHandler(handler);
const site =
  next && directory === undefined
    ? next
    : openSite(resolve(directory ?? '.'), { single, ...(next === undefined ? {} : { next }) });
createServer((request, response) => {
  site(request, response).catch((error: unknown) => {
    console.error(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  });
}).listen(Number(process.env.PORT ?? 8080), '0.0.0.0');
