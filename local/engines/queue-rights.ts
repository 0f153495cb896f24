import type { IncomingHttpHeaders } from 'node:http';
import type { Session, Sessions } from '../emulators/sts/sessions.ts';
import { unpackResponse, type WireRequest, type WireResponse } from '../emulators/wire.ts';
import type { Access } from '../iam/authorizer.ts';
import { accessDenied } from '../iam/denial.ts';
import { createReader } from '../iam/guard.ts';
import { listRightOf } from '../iam/operations/storage.ts';
import { sendRequest } from './wire.ts';

/** A request as Fastify, the web server of fauxqs, passes it to a hook. */
export interface HookRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  /** Parsed JSON of SQS, bytes of S3. */
  body: unknown;
}
export interface HookReply {
  code(status: number): HookReply;
  headers(all: Record<string, string>): HookReply;
  send(body: Buffer): unknown;
}

export interface QueueRightsOptions {
  sessions: Sessions;
  /** URL of the run's authorizer (local/iam/authorizer-server.ts). */
  authorizerUrl: string;
  /** Returns true if an object exists. */
  exists: (path: string) => Promise<boolean>;
}

/** Number of decisions that are kept. */
const MAX_DECISIONS = 5000;

/**
 * Returns the hook that refuses requests to SQS and S3 which their callers have no right to. The rights are in the main
 * process; its decisions are remembered here.
 */
export function createQueueRights({ sessions, authorizerUrl, exists }: QueueRightsOptions) {
  const read = createReader(sessions, () => ({}));
  let decisions = new Map<string, Promise<string | undefined>>();

  /** Returns the message that refuses the accesses; undefined if the session has them all. */
  const ask = (session: Session, accesses: readonly Access[], isProbe = false): Promise<string | undefined> => {
    const question = JSON.stringify({ session, accesses, isProbe });
    const known = decisions.get(question);
    if (known) return known;
    if (decisions.size >= MAX_DECISIONS) decisions = new Map();
    const decision = sendRequest(authorizerUrl, 'POST', {}, question).then(({ status, body }): string | undefined => {
      if (status !== 200) throw new Error(`The authorizer answered ${status}`);
      return JSON.parse(body.toString('utf8')).message;
    });
    decisions.set(question, decision);
    decision.catch(() => decisions.delete(question));
    return decision;
  };

  const authorize = async (request: WireRequest): Promise<WireResponse | undefined> => {
    const identified = read(request);
    if (!identified) return undefined;
    if ('refused' in identified) return identified.refused;
    const { session, service, accesses } = identified;
    const { method, path } = request;
    let message = await ask(session, accesses);
    const isRead = accesses.some(({ action }) => action === 's3:GetObject') && (method === 'GET' || method === 'HEAD');
    // S3 tells only those who may list a bucket that an object is missing.
    if (message === undefined && isRead && !(await exists(path))) {
      message = await ask(session, [listRightOf(path)], true);
    }
    return message === undefined ? undefined : accessDenied(service, message);
  };

  return async ({ method, url, headers, body }: HookRequest, reply: HookReply): Promise<unknown> => {
    const [path = '/', query = ''] = url.split('?');
    const content = Buffer.isBuffer(body) || body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
    const refused = await authorize({ method, path, query: new URLSearchParams(query), headers, body: content });
    if (!refused) return undefined;
    const { status, headers: sent, body: bytes } = unpackResponse(refused);
    return reply.code(status).headers(sent).send(bytes);
  };
}
