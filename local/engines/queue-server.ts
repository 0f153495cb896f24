/**
 * The process that emulates SQS and S3: `node queue-server.ts <port> <region> <sessions' directory> <authorizer's URL, or empty>
 * [data directory]`.
 */
import { subscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import { Server as HttpServer, IncomingMessage, ServerResponse, request as send } from 'node:http';
import { flushCompileCache } from 'node:module';
import { Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { startFauxqs } from 'fauxqs';
import { isObject } from '../../contract/json.ts';
import { openSessions } from '../emulators/sts/sessions.ts';
import { isLoopbackHost, isPlatformCall, LOOPBACK } from '../gateway/allowed-hosts.ts';
import { createQueueRights, type HookReply, type HookRequest } from './queue-rights.ts';
import { type Refusal, refusePresigned } from './signed-requests.ts';

const [port, region, sessionsDir = '', authorizerUrl = '', dataDir] = process.argv.slice(2);
const sessions = openSessions(sessionsDir);

/** S3's limit of one PUT (https://docs.aws.amazon.com/AmazonS3/latest/userguide/upload-objects.html). */
const MAX_PUT_BYTES = 5 * 1024 ** 3;

/** Returns true if an object exists. */
const exists = (path: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const headRequest = send({ host: LOOPBACK, port: Number(port), method: 'HEAD', path }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    headRequest.on('error', reject).end();
  });

interface Fastify {
  addHook(name: 'onRoute', hook: (route: { bodyLimit?: number }) => void): void;
  addHook(name: 'preHandler', hook: (request: HookRequest, reply: HookReply) => Promise<unknown>): void;
}

/**
 * Makes a message visible after one second instead of immediately: with a data directory, fauxqs loses a message whose visibility
 * timeout becomes zero, because it fails to store it after it has removed it from memory.
 */
async function releaseInASecond({ headers, body }: HookRequest): Promise<void> {
  if (headers['x-amz-target'] === 'AmazonSQS.ChangeMessageVisibility' && isObject(body) && body.VisibilityTimeout === 0)
    body.VisibilityTimeout = 1;
}

// fauxqs limits each request to 11 MiB and has no option to change that. Its web server publishes this event before it has routes.
subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: Fastify };
  fastify.addHook('onRoute', (route) => {
    route.bodyLimit = MAX_PUT_BYTES;
  });
  if (authorizerUrl) fastify.addHook('preHandler', createQueueRights({ sessionsDir, authorizerUrl, exists }));
  fastify.addHook('preHandler', releaseInASecond);
});

// fauxqs listens on all interfaces, answers every host name and every browser, and has no options to change that.
const { listen } = Server.prototype;
Server.prototype.listen = function (this: Server, ...rest: unknown[]) {
  const [first] = rest;
  if (typeof first === 'object' && first !== null && 'port' in first) rest[0] = { ...first, host: LOOPBACK };
  return Reflect.apply(listen, this, rest);
};

/** Returns S3's refusal of a presigned request or a conditional write; undefined to pass the request on. fauxqs knows neither. */
async function refuse(request: IncomingMessage): Promise<Refusal | undefined> {
  const refusal = refusePresigned(request, sessions);
  if (refusal || request.method !== 'PUT' || request.headers['if-none-match'] !== '*') return refusal;
  const [path = '/'] = (request.url ?? '/').split('?');
  return (await exists(path)) ? { status: 412, code: 'PreconditionFailed' } : undefined;
}

/** Returns true if a browser follows a signed link to an object. The signature authorizes the request. */
const isSignedLink = ({ method, url = '/', headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  headers['sec-fetch-mode'] === 'navigate' &&
  isLoopbackHost(headers.host) &&
  new URL(url, 'http://localhost').searchParams.has('X-Amz-Signature');

const { emit } = HttpServer.prototype;
HttpServer.prototype.emit = function (this: HttpServer, event: string | symbol, ...rest: unknown[]): boolean {
  const [request, response] = rest;
  const pass = () => Reflect.apply(emit, this, [event, ...rest]);
  if (event !== 'request' || !(request instanceof IncomingMessage) || !(response instanceof ServerResponse)) {
    return pass();
  }
  if (!isPlatformCall(request.headers) && !isSignedLink(request)) {
    request.resume();
    response
      .writeHead(403, { 'content-type': 'text/plain' })
      .end('Only the platform may call an emulator, at its own host name.\n');
    return true;
  }
  const isChecked = request.url?.includes('X-Amz-Signature=') || request.headers['if-none-match'] === '*';
  if (!isChecked) return pass();
  refuse(request)
    .then((refusal) => {
      if (!refusal) return pass();
      request.resume();
      response.writeHead(refusal.status, { 'content-type': 'application/xml' });
      return response.end(`<Error><Code>${refusal.code}</Code></Error>`);
    })
    .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  return true;
};

/**
 * Makes the messages visible that the previous run had received and not deleted. Nothing works on them any more, but their visibility
 * timeouts are up to two minutes long, and a restart has to continue its work within one.
 */
function releaseReceived(folder: string): void {
  const file = join(folder, 'fauxqs.db');
  if (!existsSync(file)) return;
  const database = new DatabaseSync(file);
  // A run that was killed while it created the file has no table.
  const isComplete = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'sqs_messages'").get() !== undefined;
  if (isComplete) database.exec('UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL');
  database.close();
}

if (dataDir) releaseReceived(dataDir);
await startFauxqs({
  port: Number(port),
  logger: false,
  defaultRegion: region ?? 'us-east-1',
  ...(dataDir ? { dataDir } : {}),
});
flushCompileCache();
