import { randomUUID } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { WireResponse } from '../wire.ts';
import { type AppProcess, StartFailure } from './app-process.ts';
import type { AppProcesses, Runnable } from './app-processes.ts';
import type { Configuration } from './functions.ts';

/** The fields of an HTTP API event (format 2.0) from which the web adapter makes a request. */
const HttpEvent = z.object({
  rawPath: z.string().default('/'),
  rawQueryString: z.string().default(''),
  headers: z.record(z.string(), z.string()).default({}),
  cookies: z.array(z.string()).default([]),
  body: z.string().optional(),
  isBase64Encoded: z.boolean().default(false),
  requestContext: z.object({ http: z.object({ method: z.string() }) }).default({ http: { method: 'GET' } }),
});
type HttpEvent = z.output<typeof HttpEvent>;

/** Size of Lambda's log tail. */
const TAIL_BYTES = 4096;
/** Time to wait for the output of a failed request, which may arrive after the response. */
const TRAILING_OUTPUT_MS = 20;

/**
 * Emulates `Invoke` with the web adapter's handling of one event. As in Lambda, a function error is a successful response.
 */
export async function invokeApp(
  processes: AppProcesses,
  runnable: Runnable,
  configuration: Configuration,
  payload: Buffer,
  tail: boolean,
): Promise<WireResponse> {
  const requestId = randomUUID();
  const startedAt = Date.now();
  const answer = (body: unknown, output: string, failed: boolean): WireResponse => ({
    headers: {
      'x-amz-executed-version': configuration.Version,
      ...(failed ? { 'x-amz-function-error': 'Unhandled' } : {}),
      ...(tail ? { 'x-amz-log-result': logTail(requestId, configuration, output, Date.now() - startedAt) } : {}),
    },
    body,
  });
  const failure = (errorType: string, message: string, output: string): WireResponse =>
    answer({ errorType, errorMessage: `RequestId: ${requestId} Error: ${message}` }, output, true);

  const event = HttpEvent.parse(payload.length > 0 ? JSON.parse(payload.toString('utf8')) : {});
  try {
    return await processes.use(runnable, async (app, cold) => {
      const outputStart = cold ? 0 : app.printed;
      const result = await sendRequest(app, event, configuration.Timeout * 1000);
      if (typeof result === 'string') {
        const output = app.outputSince(outputStart);
        return app.alive
          ? failure('Sandbox.Timedout', result, output)
          : failure('Runtime.ExitError', await app.ended, output);
      }
      if ((result.response.statusCode ?? 0) >= 500) await sleep(TRAILING_OUTPUT_MS);
      await app.outputArrived();
      const streaming = configuration.Environment.Variables.AWS_LWA_INVOKE_MODE?.toLowerCase() === 'response_stream';
      return answer(streaming ? toStreamedBody(result) : toBufferedBody(result), app.outputSince(outputStart), false);
    });
  } catch (error) {
    if (error instanceof StartFailure) return failure(error.type, error.message, error.output);
    throw error;
  }
}

interface Exchange {
  response: IncomingMessage;
  body: Buffer;
}

/** Sends one request. Resolves with an error message if there is no response. */
function sendRequest(app: AppProcess, event: HttpEvent, timeoutMs: number): Promise<Exchange | string> {
  const query = event.rawQueryString === '' ? '' : `?${event.rawQueryString}`;
  const cookies = event.cookies.length > 0 ? { cookie: event.cookies.join('; ') } : {};
  return new Promise((resolve) => {
    const outgoing = httpRequest({
      host: '127.0.0.1',
      port: app.port,
      agent: app.agent,
      method: event.requestContext.http.method,
      path: event.rawPath + query,
      headers: { ...event.headers, ...cookies },
    });
    const timer = setTimeout(() => {
      resolve(`Task timed out after ${(timeoutMs / 1000).toFixed(2)} seconds`);
      outgoing.destroy();
    }, timeoutMs);
    const settle = (result: Exchange | string): void => {
      clearTimeout(timer);
      resolve(result);
    };
    outgoing.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () => settle({ response, body: Buffer.concat(chunks) }));
      response.once('error', (error) => settle(error.message));
    });
    // Waits briefly, so that it is known if the process has crashed or only closed the connection.
    outgoing.once('error', async (error) => {
      await Promise.race([app.ended, sleep(TRAILING_OUTPUT_MS * 5)]);
      settle(error.message);
    });
    outgoing.end(
      event.body === undefined ? undefined : Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8'),
    );
  });
}

function prelude({ response }: Exchange) {
  const { 'set-cookie': cookies = [], ...headers } = response.headers;
  return { statusCode: response.statusCode, headers, cookies };
}

/** Frames a streamed HTTP response as Lambda does: JSON prelude, eight NUL bytes, body. */
const toStreamedBody = (result: Exchange) =>
  Buffer.concat([Buffer.from(JSON.stringify(prelude(result))), Buffer.alloc(8), result.body]);

const toBufferedBody = (result: Exchange) => ({
  ...prelude(result),
  body: result.body.toString('base64'),
  isBase64Encoded: true,
});

function logTail(
  requestId: string,
  { Version, MemorySize }: Configuration,
  output: string,
  durationMs: number,
): string {
  const printed = output === '' || output.endsWith('\n') ? output : `${output}\n`;
  const text = [
    `START RequestId: ${requestId} Version: ${Version}\n`,
    printed,
    `END RequestId: ${requestId}\n`,
    `REPORT RequestId: ${requestId}\tDuration: ${durationMs}.00 ms\tBilled Duration: ${durationMs} ms\tMemory Size: ${MemorySize} MB\n`,
  ].join('');
  return Buffer.from(text).subarray(-TAIL_BYTES).toString('base64');
}
