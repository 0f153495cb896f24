/**
 * Serves a directory of static files. This is the program of releases whose build creates a site and no server
 * (docs/decisions/0039-any-node-project.md). Arguments: the directory, and `--single` to serve the front page for unknown paths.
 */
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { openSite } from '../site/site.ts';

const [directory = '.', option] = process.argv.slice(2);
const site = openSite(resolve(directory), { single: option === '--single' });
createServer((request, response) => {
  site(request, response).catch((error: unknown) => {
    console.error(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  });
}).listen(Number(process.env.PORT ?? 8080), '0.0.0.0');
