import type { IncomingHttpHeaders } from 'node:http';
import { listRightOf } from '../iam/operations/storage.ts';
import { createRemoteGuard } from '../iam/remote-guard.ts';

/** A request in the form in which Fastify, the web server of fauxqs, passes it to a hook. */
export interface HookRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  /** Parsed JSON for SQS, bytes for S3. */
  body: unknown;
}
export interface HookReply {
  code(status: number): HookReply;
  headers(all: Record<string, string>): HookReply;
  send(body: Buffer): unknown;
}

export interface QueueRightsOptions {
  /** Directory of the key that signs sessions (local/emulators/sts/sessions.ts). */
  sessionsDir: string;
  /** URL of the run's authorizer (local/iam/authorizer-server.ts). */
  authorizerUrl: string;
  /** Returns true if an object exists. */
  exists: (path: string) => Promise<boolean>;
}

/** Returns a hook that refuses requests to SQS and S3 if their callers lack a right. */
export function createQueueRights({ exists, ...settings }: QueueRightsOptions) {
  const guard = createRemoteGuard({
    ...settings,
    async furtherRight({ method, path }, accesses) {
      const isRead =
        accesses.some(({ action }) => action === 's3:GetObject') && (method === 'GET' || method === 'HEAD');
      return isRead && !(await exists(path)) ? listRightOf(path) : undefined;
    },
  });
  return async ({ method, url, headers, body }: HookRequest, reply: HookReply): Promise<unknown> => {
    const [path = '/', query = ''] = url.split('?');
    const content = Buffer.isBuffer(body) || body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
    const request = { method, path, query: new URLSearchParams(query), headers, body: content };
    const refused = await guard.authorize(request);
    return refused && reply.code(refused.status).headers(refused.headers).send(refused.body);
  };
}
