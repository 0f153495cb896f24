import { LOGIN_PATH } from '../emulators/login/login.ts';
import { PAY_PATH } from '../emulators/payments/payments.ts';
import type { Engines } from '../engines/engines.ts';
import type { Stacks } from '../template/stacks.ts';
import { makeCors } from './cors.ts';
import { makeEdge } from './edge.ts';
import { type Front, startFront } from './http-server.ts';
import { makeRouter, routesOf } from './routes.ts';
import { streamRoutesOf } from './stream-routes.ts';
import { makeWebApp } from './web-app.ts';

interface Inside {
  port: number;
  /** Functions follow their sources. */
  watch: boolean;
  engines: Pick<Engines, 'synthesis' | 'login' | 'payments' | 'appHost'>;
  stacks: Stacks;
}

/** Opens the one public port: the API, the dashboard, logins, payments and applications, as the template's edge would. */
export function openFrontDoor({ port, watch, engines, stacks }: Inside): Promise<Front> {
  const { synthesis, login, payments, appHost } = engines;
  const { template, functions, variables, lambda, keyValueStore } = stacks;
  const appsDomain = `.${variables.APPS_DOMAIN}`;
  const [api] = template.resources('AWS::ApiGatewayV2::Api');
  return startFront({
    port,
    // While sources are watched, a request waits for the code that was just edited.
    lambda: watch
      ? { invokeText: (...invocation) => synthesis.fresh().then(() => lambda.invokeText(...invocation)) }
      : lambda,
    route: makeRouter(routesOf(template)),
    streams: new Map(streamRoutesOf(template, functions).map((each) => [each.path, each])),
    cors: makeCors(api?.properties.CorsConfiguration),
    isApp: (host) => host.endsWith(appsDomain) || keyValueStore.lookup(host) !== undefined,
    edge: makeEdge(template, keyValueStore.lookup),
    forward: appHost.forward,
    pages: new Map([
      [LOGIN_PATH, login.handle],
      [PAY_PATH, payments.handle],
    ]),
    webApp: makeWebApp({ issuer: login.facts.issuer, clientId: login.facts.clientId, apiUrl: '' }, { watch }),
  });
}
