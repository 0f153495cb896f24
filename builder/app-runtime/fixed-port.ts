import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Server } from 'node:http';
import type { ListenOptions } from 'node:net';

/** Node's diagnostics channel for servers that are about to listen (https://nodejs.org/api/diagnostics_channel.html#net). */
const LISTEN = 'tracing:net.server.listen:asyncStart';

/** Hosts at which a server listens for its own machine only. Requests arrive at the first one. */
const OWN_MACHINE = ['127.0.0.1', 'localhost', '::1'];

interface Actions {
  /** Writes a line to the application's log. */
  write: (line: string) => void;
  /** Ends the application, which failed. */
  exit: () => void;
}

/**
 * Lets the first HTTP server of an application listen on its assigned port in place of the fixed one that its code names, such as
 * `app.listen(3000)`. Only for applications that never read `PORT` (builder/package/reads-port.ts).
 *
 * An application with servers on two fixed ports ends, because one of them may serve figures or an administration that is not public.
 *
 * @param port the assigned port
 * @returns a function that ends the replacement
 */
export function replaceFixedPort(port: number, { write, exit }: Actions): () => void {
  let first: { server: Server; fixed: number } | undefined;
  /** True when a package has read PORT for its own server, which takes precedence: other servers keep their ports. */
  let isServed = false;
  const replace = (server: Server, options: ListenOptions, fixed: number): void => {
    if (first === undefined)
      write(`Requests go to the first server, whose fixed port ${fixed} is replaced by PORT: use process.env.PORT.\n`);
    first = { server, fixed };
    // Node listens with these options after it has announced them. Those of some callers cannot be changed.
    Reflect.set(options, 'port', port);
    if (OWN_MACHINE.includes(options.host ?? '')) Reflect.set(options, 'host', OWN_MACHINE[0]);
  };
  const onListen = (message: unknown): void => {
    const { server, options } = message as { server: unknown; options: ListenOptions };
    const asked = Number(options.port);
    // Without a port, a server listens on a path, on a port that is free, or on what another process opened.
    if (!(server instanceof Server) || !(asked > 0)) return;
    if (asked === port) {
      isServed = true;
      // The port is free at once.
      if (first !== undefined && first.server !== server) first.server.close();
    } else if (isServed) {
      return;
    } else if (first === undefined || asked === first.fixed) {
      if (!first?.server.listening) replace(server, options, asked);
    } else {
      write(
        `Error: The application has servers on the fixed ports ${first.fixed} and ${asked}: let the one for its visitors listen on process.env.PORT.\n`,
      );
      exit();
    }
  };
  subscribe(LISTEN, onListen);
  return () => void unsubscribe(LISTEN, onListen);
}
