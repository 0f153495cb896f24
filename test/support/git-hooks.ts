import { createHmac, randomUUID } from 'node:crypto';

/** A webhook request of a Git host. */
export interface SentHook {
  headers: Record<string, string>;
  body: string;
}

export interface PushOf {
  branch?: string;
  tag?: string;
  /** The whole reference, in place of a branch's or tag's. Not of Bitbucket, which sends branches and tags only. */
  ref?: string;
  commitSha?: string;
  message?: string;
  deleted?: boolean;
  deliveryId?: string;
}

const ZEROS = '0'.repeat(40);
const refOf = ({ branch = 'main', tag, ref = tag ? `refs/tags/${tag}` : `refs/heads/${branch}` }: PushOf) => ref;
const sign = (body: string, secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;

/** Builds the push webhooks of the three hosts as their documentation shows them, signed with a secret. */
export const HOSTS = {
  GitHub(secret: string, push: PushOf = {}): SentHook {
    const { commitSha = 'a'.repeat(40), message = 'A change', deleted = false, deliveryId = randomUUID() } = push;
    const head_commit = deleted ? null : { id: commitSha, message, timestamp: '2026-01-01T00:00:00Z' };
    const after = deleted ? ZEROS : commitSha;
    const body = JSON.stringify({ ref: refOf(push), before: ZEROS, after, deleted, head_commit, commits: [] });
    return {
      headers: {
        'content-type': 'application/json',
        'user-agent': 'GitHub-Hookshot/044aadd',
        'x-github-event': 'push',
        'x-github-delivery': deliveryId,
        'x-hub-signature': `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`,
        'x-hub-signature-256': sign(body, secret),
      },
      body,
    };
  },
  GitLab(secret: string, push: PushOf = {}): SentHook {
    const { commitSha = 'a'.repeat(40), message = 'A change', deleted = false, deliveryId = randomUUID() } = push;
    const after = deleted ? ZEROS : commitSha;
    const commits = deleted ? [] : [{ id: commitSha, message, title: message }];
    const object_kind = push.tag ? 'tag_push' : 'push';
    const body = JSON.stringify({ object_kind, ref: refOf(push), before: ZEROS, after, checkout_sha: after, commits });
    return {
      headers: {
        'content-type': 'application/json',
        'x-gitlab-event': push.tag ? 'Tag Push Hook' : 'Push Hook',
        'x-gitlab-event-uuid': deliveryId,
        'x-gitlab-token': secret,
      },
      body,
    };
  },
  Bitbucket(secret: string, push: PushOf = {}): SentHook {
    const { commitSha = 'a'.repeat(40), message = 'A change', deleted = false, deliveryId = randomUUID() } = push;
    const side = {
      type: push.tag ? 'tag' : 'branch',
      name: push.tag ?? push.branch ?? 'main',
      target: { type: 'commit', hash: commitSha, message },
    };
    const change = { old: side, new: deleted ? null : side, closed: deleted, created: false, forced: false };
    const body = JSON.stringify({ actor: {}, repository: {}, push: { changes: [change] } });
    return {
      headers: {
        'content-type': 'application/json',
        'x-event-key': 'repo:push',
        'x-request-uuid': deliveryId,
        'x-hub-signature': sign(body, secret),
      },
      body,
    };
  },
} as const;

/** Builds GitHub's alternative encoding: the payload as a form field. */
export function asForm({ headers, body }: SentHook, secret: string): SentHook {
  const form = new URLSearchParams({ payload: body }).toString();
  const changed = { 'content-type': 'application/x-www-form-urlencoded', 'x-hub-signature-256': sign(form, secret) };
  return { headers: { ...headers, ...changed }, body: form };
}
