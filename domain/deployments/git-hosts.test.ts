import { describe, expect, test } from 'vitest';
import { asForm, HOSTS, type SentHook } from '../../test/support/git-hooks.ts';
import { isGenuine, readHook } from './git-hosts.ts';

const SECRET = 'the hook secret';
const received = ({ headers, body }: SentHook) => ({ headers, body: Buffer.from(body) });

describe.each(Object.entries(HOSTS))('%s', (_host, send) => {
  test('a webhook is valid with the right secret only', () => {
    const request = received(send(SECRET));
    expect(isGenuine(request, SECRET)).toBe(true);
    expect(isGenuine(request, `${SECRET} `)).toBe(false);
    expect(isGenuine(request, '')).toBe(false);
  });

  test('reads a push to a branch with its commit and commit message', () => {
    const push = { branch: 'feature/é', commitSha: 'b'.repeat(40), message: 'Do it\n\n[skip ci]', deliveryId: 'd-1' };
    expect(readHook(received(send(SECRET, push)))).toMatchObject({
      deliveryId: 'd-1',
      changes: [{ kind: 'branch', name: 'feature/é', commitSha: push.commitSha, message: push.message }],
    });
  });

  test('recognizes a push without the header that names the event', () => {
    const { headers, body } = received(send(SECRET));
    const unnamed = { ...headers, 'x-github-event': undefined, 'x-gitlab-event': undefined, 'x-event-key': undefined };
    expect(readHook({ headers: unnamed, body }).changes).toMatchObject([{ kind: 'branch', name: 'main' }]);
    expect(readHook({ headers: unnamed, body: Buffer.from('{"zen":"…"}') }).changes).toBeUndefined();
  });

  test('distinguishes a tag from a branch, and a deleted branch has no commit', () => {
    const tagged = readHook(received(send(SECRET, { tag: 'v1' }))).changes ?? [];
    for (const { kind } of tagged) expect(kind).toBe('tag');
    const [gone] = readHook(received(send(SECRET, { deleted: true }))).changes ?? [];
    expect(gone).toMatchObject({ kind: 'branch', name: 'main', commitSha: undefined });
  });
});

test('rejects a signature of other bytes, of another kind, truncated or missing', () => {
  const { headers, body } = HOSTS.GitHub(SECRET);
  const genuine = headers['x-hub-signature-256'] ?? '';
  expect(isGenuine({ headers, body: Buffer.from(`${body} `) }, SECRET)).toBe(false);
  for (const signature of [
    '',
    'sha256=',
    genuine.slice(0, -1),
    genuine.slice(7),
    `${genuine}0`,
    genuine.toUpperCase(),
  ]) {
    const forged = { ...headers, 'x-hub-signature-256': signature };
    expect(isGenuine({ headers: forged, body: Buffer.from(body) }, SECRET), signature).toBe(false);
  }
  expect(isGenuine({ headers: {}, body: Buffer.from(body) }, SECRET)).toBe(false);
  const sha1 = { 'x-hub-signature': headers['x-hub-signature'] };
  expect(isGenuine({ headers: sha1, body: Buffer.from(body) }, SECRET), 'GitHub’s older signature').toBe(false);
  const token = { ...headers, 'x-hub-signature-256': undefined, 'x-gitlab-token': 'another' };
  expect(isGenuine({ headers: token, body: Buffer.from(body) }, SECRET)).toBe(false);
});

test('accepts a form from GitHub', () => {
  const request = received(asForm(HOSTS.GitHub(SECRET, { commitSha: 'c'.repeat(40) }), SECRET));
  expect(isGenuine(request, SECRET)).toBe(true);
  expect(readHook(request).changes).toMatchObject([{ name: 'main', commitSha: 'c'.repeat(40) }]);
});

test('parses JSON regardless of the content type', () => {
  const { headers, body } = HOSTS.GitHub(SECRET);
  for (const type of ['application/x-www-form-urlencoded', 'text/plain', '']) {
    const request = received({ headers: { ...headers, 'content-type': type }, body });
    expect(readHook(request).changes).toHaveLength(1);
  }
});

test('reports each of several branches pushed to Bitbucket at once', () => {
  const { headers } = HOSTS.Bitbucket(SECRET);
  const change = (name: string) => ({ new: { type: 'branch', name, target: { hash: name } }, old: null });
  const body = Buffer.from(JSON.stringify({ push: { changes: [change('one'), change('two')] } }));
  expect(readHook({ headers, body }).changes?.map(({ name }) => name)).toEqual(['one', 'two']);
});

test('ignores other events, and rejects a malformed push', () => {
  const { headers } = HOSTS.GitHub(SECRET);
  const ping = { headers: { ...headers, 'x-github-event': 'ping' }, body: Buffer.from('{"zen":"…"}') };
  expect(readHook(ping)).toMatchObject({ event: 'ping', changes: undefined });
  for (const body of ['', '{', '[]', 'null', '{"ref":7}', '{"ref":"refs/heads/main"}']) {
    expect(() => readHook({ headers, body: Buffer.from(body) }), body).toThrow('body: must be the payload of a push');
  }
});

test('identifies a delivery without an id by its bytes', () => {
  const { headers, body } = HOSTS.GitHub(SECRET, { deliveryId: '' });
  const [one, again] = [body, body].map((each) => readHook({ headers, body: Buffer.from(each) }).deliveryId);
  const other = received(HOSTS.GitHub(SECRET, { deliveryId: '', commitSha: 'd'.repeat(40) }));
  expect(again).toBe(one);
  expect(readHook(other).deliveryId).not.toBe(one);
});
