import type { IncomingMessage } from 'node:http';
import { ACCOUNT } from '../addresses.ts';
import { PANEL_PATH } from '../emulators/hosting-panel/panel.ts';
import { LOGIN_PATH } from '../emulators/login/login.ts';
import { PAY_PATH } from '../emulators/payments/payments.ts';
import type { Engines } from '../engines/engines.ts';
import type { Stacks } from '../template/stacks.ts';
import { hostNameOf } from './allowed-hosts.ts';
import { createCors } from './cors.ts';
import { createEdge, findEdgeFunction } from './edge.ts';
import { createEdgeCache, edgeBehaviorOf } from './edge-cache.ts';
import { type HttpServer, startHttpServer } from './http-server.ts';
import { awaitNewRoute } from './new-routes.ts';
import { createRouter, edgeHeadersWith, routesOf } from './routes.ts';
import { streamRoutesOf } from './stream-routes.ts';
import { createWebApp } from './web-app.ts';

interface GatewayOptions {
  port: number;
  /** Address to listen on. */
  host: string;
  /** Rebuilds functions when their sources change. */
  watch: boolean;
  engines: Pick<Engines, 'synthesis' | 'login' | 'payments' | 'panel' | 'appHost'>;
  stacks: Stacks;
}

/**
 * Opens the public port for the API, dashboard, logins, payments, control panels and applications. Routes requests as the template's edge
 * does.
 */
export function startGateway({ port, host, watch, engines, stacks }: GatewayOptions): Promise<HttpServer> {
  const { synthesis, login, payments, panel, appHost } = engines;
  const { template, functions, variables, lambda, keyValueStore, secretsManager, cells } = stacks;
  const edgeHeaders = edgeHeadersWith(secretsManager.currentValue);
  const home = { account: ACCOUNT, appsDomain: String(variables.APPS_DOMAIN) };
  const edges = [home, ...cells].map(({ account, appsDomain }) => {
    const routing = findEdgeFunction(template, account);
    const route = (key: string) => keyValueStore.lookup(routing.store, key);
    const { allowedMethods, cachePolicy } = edgeBehaviorOf(template, routing.name);
    const decide = createEdge(routing, route, allowedMethods);
    return {
      // A name below the cell's domain, or a custom domain of one of its applications.
      serves: (host: string) => host.endsWith(`.${appsDomain}`) || route(host) !== undefined,
      decide: async (request: IncomingMessage) => {
        const host = hostNameOf(request.headers.host);
        await awaitNewRoute(() => route(host) !== undefined, lambda.activity);
        return await decide(request);
      },
      serve: createEdgeCache(cachePolicy, appHost.forward),
    };
  });
  const [api] = template.resources('AWS::ApiGatewayV2::Api');
  return startHttpServer({
    port,
    host,
    // While sources are watched, a request waits for the rebuild of edited code.
    lambda: watch
      ? { invokeText: (...invocation) => synthesis.fresh().then(() => lambda.invokeText(...invocation)) }
      : lambda,
    route: createRouter(routesOf(template, functions, edgeHeaders)),
    streams: new Map(streamRoutesOf(template, functions, edgeHeaders).map((each) => [each.path, each])),
    cors: createCors(api?.properties.CorsConfiguration),
    appEdgeOf: (host) => edges.find(({ serves }) => serves(host)),
    pages: new Map([
      [LOGIN_PATH, login.handle],
      [PAY_PATH, payments.handle],
      [PANEL_PATH, panel.handle],
    ]),
    webApp: createWebApp(
      {
        issuer: login.facts.issuer,
        clientId: login.facts.clientId,
        apiUrl: '',
        exampleRepository: 'https://git.localhost/hello-express.git',
      },
      { watch },
    ),
  });
}
