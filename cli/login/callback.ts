import { createServer, type Server } from 'node:http';
import { CommandError } from '../command.ts';

/** The ports to which a sign-in may return, as registered for the platform's login (contract/accounts/session.ts). */
export const PORTS = [8971, 8972, 8973, 8974, 8975];

export interface Callback {
  /** The redirect URL. */
  url: string;
  /** Resolves with the code of the sign-in that was started with `state`. @throws CommandError if it was refused */
  code(state: string, signal: AbortSignal): Promise<string>;
  close(): void;
}

const page = (title: string, text: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:24rem;margin:6rem auto;padding:0 1rem}</style><h1>${title}</h1><p>${text}</p></html>`;

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** Listens on a port of this machine. Resolves with false if the port is in use. */
function listen(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => {
      if (['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'].includes(error.code ?? '')) resolve(false);
      else reject(error);
    };
    server.once('error', refuse);
    server.listen({ port, host: '127.0.0.1' }, () => {
      server.off('error', refuse);
      resolve(true);
    });
  });
}

/** Listens on a port of this machine until the browser returns from the sign-in. */
export async function openCallback(): Promise<Callback> {
  const answers: ((answer: URLSearchParams) => boolean)[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const isExpected = pathname === '/callback' && answers.some((answer) => answer(searchParams));
    response
      .writeHead(isExpected ? 200 : 404, HEADERS)
      .end(
        isExpected
          ? page('Signed in', 'You may close this page and return to the terminal.')
          : page('Not found', 'This address is for sign-ins of the command line.'),
      );
  });
  for (const port of PORTS) {
    if (!(await listen(server, port))) continue;
    return {
      url: `http://localhost:${port}/callback`,
      close: () => {
        server.close();
        server.closeAllConnections();
      },
      code: (state, signal) =>
        new Promise((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          answers.push((answer) => {
            // Another page could redirect the browser here with its own code.
            if (answer.get('state') !== state) return false;
            const code = answer.get('code');
            if (code) resolve(code);
            else
              reject(
                new CommandError(`The sign-in was refused: ${answer.get('error_description') ?? answer.get('error')}`),
              );
            return true;
          });
        }),
    };
  }
  throw new CommandError(`The ports ${PORTS.join(', ')} are in use. Sign in with a key: hosting login --key`);
}
