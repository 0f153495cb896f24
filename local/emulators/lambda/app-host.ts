import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ACCOUNT } from '../../addresses.ts';
import { perAccount } from '../accounts.ts';
import { type Emulator, type EmulatorOptions, serve } from '../wire.ts';
import { type InvokeOwn, type LambdaAccount, type LambdaAccountOptions, openLambdaAccount } from './account.ts';
import { StartFailure } from './app-process.ts';
import type { AppRequest } from './app-requests.ts';
import { forwardTo, type OnAnswer, Unreachable } from './forward.ts';
import type { Configuration } from './functions.ts';

export type AppHostOptions = EmulatorOptions & Omit<LambdaAccountOptions, 'accountId'>;

export interface AppHost extends Emulator {
  /** From now on `Invoke` reaches the platform's own functions too, as operators call them (docs/runbook.md). */
  serveOwn(invoke: InvokeOwn): void;
  /**
   * Answers a request as the function URL with this host would: with the version behind its alias, which is started if
   * necessary. Resolves when the response is complete; never rejects.
   */
  forward(urlHost: string, request: IncomingMessage, response: ServerResponse, onAnswer?: OnAnswer): Promise<void>;
}

const RETRY_DELAY_MS = 25;

/**
 * Starts an emulator of AWS Lambda, limited to hosted applications with the Web Adapter. Each version is a child
 * process on its own Node. Accounts share nothing but the port.
 */
export async function startAppHost(options: AppHostOptions): Promise<AppHost> {
  let own: InvokeOwn = () => undefined;
  const accounts = perAccount(options, (accountId, dataDir) =>
    openLambdaAccount({ ...options, accountId, dataDir }, (...invocation) =>
      // The platform's functions are in the home account.
      accountId === ACCOUNT ? own(...invocation) : undefined,
    ),
  );

  /** Returns what the function URL with a host invokes, in whichever account it is. */
  const find = (urlHost: string): Target | undefined => {
    for (const account of accounts.all) {
      const configuration = account.findConfiguration(urlHost);
      if (configuration) return { account, configuration };
    }
    return undefined;
  };

  const forward: AppHost['forward'] = async (urlHost, request, response, onAnswer) => {
    for (let tries = 1; ; tries += 1) {
      // Resolved for each attempt, because the alias may have moved.
      const found = find(urlHost);
      if (!found) return fail(response, 403, 'Forbidden');
      try {
        return await answerWith(found, urlHost, request, response, onAnswer);
      } catch (error) {
        if (error instanceof Unreachable && tries < 3) {
          // The process has just ended. After the pause it is removed, and the next attempt starts another.
          await sleep(RETRY_DELAY_MS);
          continue;
        }
        if (!(error instanceof StartFailure || error instanceof Unreachable)) console.error(error);
        fail(response, 502, 'The application could not be started.');
        return found.account.record(found.configuration.FunctionName, { status: response.statusCode });
      }
    }
  };

  const emulator = await serve(options.port, 'application/json', (request) => accounts.of(request).operations(request));
  return {
    ...emulator,
    forward,
    serveOwn(invoke) {
      own = invoke;
    },
    async stop() {
      await emulator.stop();
      await Promise.all(accounts.all.map((account) => account.stop()));
    },
  };
}

/** The version that a function URL invokes, and the account that it is in. */
interface Target {
  account: LambdaAccount;
  configuration: Configuration;
}

/** Answers a request with a version, which is started if necessary, within its function's concurrency; and records it. */
async function answerWith(
  { account, configuration }: Target,
  urlHost: string,
  request: IncomingMessage,
  response: ServerResponse,
  onAnswer: OnAnswer | undefined,
): Promise<void> {
  const { FunctionName } = configuration;
  const record = (measured: Partial<AppRequest>): void => account.record(FunctionName, measured);
  const accepted = await account.withinConcurrency(FunctionName, (concurrent) => {
    const arrivedAt = Date.now();
    return account.use(configuration, async (app, cold) => {
      const startedAt = Date.now();
      const initMs = cold ? startedAt - arrivedAt : 0;
      await forwardTo(app, urlHost, request, response, configuration.Timeout * 1000, onAnswer);
      const durationMs = Date.now() - startedAt;
      record({ status: response.statusCode, durationMs, concurrent, initMs, memoryMb: app.memoryMb() });
    });
  });
  if (!accepted) {
    throttle(response);
    record({ status: response.statusCode, throttled: true });
  }
}

function fail(response: ServerResponse, status: number, message: string): void {
  if (!response.headersSent) response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${message}\n`);
}

/** Answers as a function URL does whose function has no concurrency left. */
function throttle(response: ServerResponse): void {
  response.writeHead(429, { 'content-type': 'application/json', 'x-amzn-errortype': 'TooManyRequestsException' });
  response.end(
    JSON.stringify({ Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded', message: 'Rate Exceeded.' }),
  );
}
