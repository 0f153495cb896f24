import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { invalidField } from '../../contract/errors.ts';
import { isObject, parseJson } from '../../contract/json.ts';

/** A hook as received. Header names are in lower case; the signature covers the bytes of the body. */
export interface HookRequest {
  headers: Record<string, string | undefined>;
  body: Buffer;
}

/** The change of one branch or tag by a push. */
export interface RefChange {
  kind: 'branch' | 'tag';
  name: string;
  /** The new commit of the branch or tag; undefined if it was deleted. */
  commitSha: string | undefined;
  /** The commit's message. */
  message: string;
}

/** A parsed hook: a push, or another event. */
export interface Hook {
  /** The id of the delivery, which a redelivery repeats. */
  deliveryId: string;
  event: string;
  /** The changes of a push; undefined for any other event. */
  changes: RefChange[] | undefined;
}

/** A Git host: how to recognize, authenticate and read its hooks. */
interface GitHost {
  /** The header with the signature or token. */
  proof: string;
  proves(proof: string, secret: string, body: Buffer): boolean;
  /** The headers with the event's name and the delivery's id. */
  event: string;
  delivery: string;
  /** The name of the push event. */
  push: string;
  /** Returns undefined if the payload is not that of a push. */
  changes(payload: unknown): RefChange[] | undefined;
}

const digest = (text: string) => createHash('sha256').update(text).digest();
/** Compares texts of any length in constant time, by their digests. */
const isEqual = (a: string, b: string): boolean => timingSafeEqual(digest(a), digest(b));
const isSigned = (proof: string, secret: string, body: Buffer): boolean =>
  isEqual(proof, `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);

const text = () => z._default(z.string(), '');
/** The commit id that hosts send for a deleted ref. */
const NO_COMMIT = /^0+$/;

function toRefChange(ref: string, after: string, message: string): RefChange[] {
  const [, kind, name = ''] = /^refs\/(heads|tags)\/(.+)$/s.exec(ref) ?? [];
  if (!kind) return [];
  const commitSha = NO_COMMIT.test(after) ? undefined : after;
  return [{ kind: kind === 'heads' ? 'branch' : 'tag', name, commitSha, message }];
}

// Source: each host's documentation of its push event. Schemas are built on use, so that a cold start builds only one.
const GITHUB: GitHost = {
  proof: 'x-hub-signature-256',
  proves: isSigned,
  event: 'x-github-event',
  delivery: 'x-github-delivery',
  push: 'push',
  changes(payload) {
    const commit = z.object({ message: text() });
    const schema = z.object({ ref: z.string(), after: z.string(), head_commit: z.optional(z.nullable(commit)) });
    const push = read(schema, payload);
    return push && toRefChange(push.ref, push.after, push.head_commit?.message ?? '');
  },
};

const GITLAB: GitHost = {
  proof: 'x-gitlab-token',
  proves: (proof, secret) => isEqual(proof, secret),
  event: 'x-gitlab-event',
  delivery: 'x-gitlab-event-uuid',
  push: 'Push Hook',
  changes(payload) {
    const commits = z._default(z.array(z.object({ id: z.string(), message: text() })), []);
    const push = read(z.object({ ref: z.string(), after: z.string(), commits }), payload);
    return push && toRefChange(push.ref, push.after, push.commits.find(({ id }) => id === push.after)?.message ?? '');
  },
};

const BITBUCKET: GitHost = {
  proof: 'x-hub-signature',
  proves: isSigned,
  event: 'x-event-key',
  delivery: 'x-request-uuid',
  push: 'repo:push',
  changes(payload) {
    const target = z.object({ hash: z.string(), message: text() });
    const side = z.optional(z.nullable(z.object({ type: z.string(), name: z.string(), target: z.optional(target) })));
    const changes = z.array(z.object({ new: side, old: side }));
    return read(z.object({ push: z.object({ changes }) }), payload)?.push.changes.flatMap((change): RefChange[] => {
      const { type, name } = change.new ?? change.old ?? { type: '', name: '' };
      if (type !== 'branch' && type !== 'tag') return [];
      const now = change.new?.target;
      return [{ kind: type, name, commitSha: now?.hash, message: now?.message ?? '' }];
    });
  },
};

/** GitHub (and Gitea) come first, because they also send the older `X-Hub-Signature`, by which Bitbucket is recognized. */
const HOSTS = [GITHUB, GITLAB, BITBUCKET];

const unreadable = () => invalidField('body', 'must be the payload of a push');

const read = <T>(schema: z.ZodMiniType<T>, payload: unknown): T | undefined => schema.safeParse(payload).data;

/** Parses JSON regardless of the content type, or a form with the JSON in its field `payload`. GitHub lets its users choose. */
function parsePayload({ body }: HookRequest): unknown {
  const text = body.toString('utf8');
  const json = parseJson(text);
  return isObject(json) ? json : parseJson(new URLSearchParams(text).get('payload') ?? '');
}

const detectHost = ({ headers }: HookRequest) => HOSTS.find(({ proof }) => headers[proof] !== undefined);

/** Checks a hook's signature in constant time. */
export function isGenuine(request: HookRequest, secret: string): boolean {
  const host = detectHost(request);
  return host?.proves(request.headers[host.proof] ?? '', secret, request.body) === true;
}

/**
 * Reads a genuine hook. Throws 400 for a push that cannot be parsed. If the header that names the event is missing, as from a
 * script, the payload decides whether the hook is a push.
 */
export function readHook(request: HookRequest): Hook {
  const { headers, body } = request;
  const host = detectHost(request);
  if (!host) throw unreadable();
  const event = headers[host.event] ?? '';
  // Without an id, the bytes identify the delivery: a redelivery repeats them, and another push never has the same ones.
  const deliveryId = headers[host.delivery]?.slice(0, 128) || createHash('sha256').update(body).digest('hex');
  const changes = event === host.push || event === '' ? host.changes(parsePayload(request)) : undefined;
  if (event === host.push && !changes) throw unreadable();
  return { deliveryId, event, changes };
}
