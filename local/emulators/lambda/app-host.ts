import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ACCOUNT } from '../../addresses.ts';
import { perAccount } from '../accounts.ts';
import { type Emulator, type EmulatorOptions, serve } from '../wire.ts';
import {
  type InvokePlatformFunction,
  type LambdaAccount,
  type LambdaAccountOptions,
  openLambdaAccount,
} from './account.ts';
import { StartFailure } from './app-process.ts';
import type { AppRequest } from './app-requests.ts';
import { forwardTo, type OnResponse, Unreachable } from './forward.ts';
import type { Configuration } from './functions.ts';

export type AppHostOptions = EmulatorOptions & Omit<LambdaAccountOptions, 'accountId'>;

export interface AppHost extends Emulator {
  /** Makes `Invoke` reach the platform's functions too, which operators invoke (docs/runbook.md). */
  servePlatformFunctions(invoke: InvokePlatformFunction): void;
  /**
   * Answers a request as the function URL with this host does. Starts the version of the URL's alias if necessary. Resolves when
   * the response is complete. Never rejects.
   */
  forward(urlHost: string, request: IncomingMessage, response: ServerResponse, onResponse?: OnResponse): Promise<void>;
}

const RETRY_DELAY_MS = 25;

/**
 * Starts an emulator of AWS Lambda, limited to hosted applications with the Web Adapter. Each version is a child
 * process with its own Node version. Accounts share only the port.
 */
export async function startAppHost(options: AppHostOptions): Promise<AppHost> {
  let invokePlatformFunction: InvokePlatformFunction = () => undefined;
  const accounts = perAccount(options, (accountId, dataDir) =>
    openLambdaAccount({ ...options, accountId, dataDir }, (...invocation) =>
      // The platform's functions are in the home account.
      accountId === ACCOUNT ? invokePlatformFunction(...invocation) : undefined,
    ),
  );

  /** Returns the version that the function URL with this host invokes, in any account. */
  const find = (urlHost: string): Target | undefined => {
    for (const account of accounts.all) {
      const configuration = account.findConfiguration(urlHost);
      if (configuration) return { account, configuration };
    }
    return undefined;
  };

  const forward: AppHost['forward'] = async (urlHost, request, response, onResponse) => {
    for (let attempt = 1; ; attempt += 1) {
      // Resolved for each attempt, because the alias may have moved.
      const target = find(urlHost);
      if (!target) return fail(response, 403, 'Forbidden');
      try {
        return await answerWith(target, urlHost, request, response, onResponse);
      } catch (error) {
        if (error instanceof Unreachable && attempt < 3) {
          // The process has just ended. After the pause it has been removed, and the next attempt starts another.
          await sleep(RETRY_DELAY_MS);
          continue;
        }
        if (!(error instanceof StartFailure || error instanceof Unreachable)) console.error(error);
        fail(response, 502, 'The application could not be started.');
        return target.account.record(target.configuration.FunctionName, { status: response.statusCode });
      }
    }
  };

  const emulator = await serve(options.port, 'application/json', (request) => accounts.of(request).operations(request));
  return {
    ...emulator,
    forward,
    servePlatformFunctions(invoke) {
      invokePlatformFunction = invoke;
    },
    async stop() {
      await emulator.stop();
      await Promise.all(accounts.all.map((account) => account.stop()));
    },
  };
}

/** The version that a function URL invokes, and its account. */
interface Target {
  account: LambdaAccount;
  configuration: Configuration;
}

/** Answers a request with a version, which is started if necessary, and records the request. Enforces the function's concurrency. */
async function answerWith(
  { account, configuration }: Target,
  urlHost: string,
  request: IncomingMessage,
  response: ServerResponse,
  onResponse: OnResponse | undefined,
): Promise<void> {
  const { FunctionName } = configuration;
  const record = (measured: Partial<AppRequest>): void => account.record(FunctionName, measured);
  const accepted = await account.withinConcurrency(FunctionName, (concurrent) => {
    const arrivedAt = Date.now();
    return account.use(configuration, async (app, cold) => {
      const startedAt = Date.now();
      const initMs = cold ? startedAt - arrivedAt : 0;
      const timeoutMs = configuration.Timeout * 1000;
      await forwardTo({ app, host: urlHost, timeoutMs, onResponse }, request, response);
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

/** Answers as a function URL does when the function's concurrency is used up. */
function throttle(response: ServerResponse): void {
  response.writeHead(429, { 'content-type': 'application/json', 'x-amzn-errortype': 'TooManyRequestsException' });
  response.end(
    JSON.stringify({ Reason: 'ReservedFunctionConcurrentInvocationLimitExceeded', message: 'Rate Exceeded.' }),
  );
}
