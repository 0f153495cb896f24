import { expect, test } from 'vitest';
import { roleSession } from './role-session.ts';

const ROLE = { roleArn: 'arn:aws:iam::222222222222:role/b-test', name: 'test', externalId: 'hosting-test' };
const MINUTE_MS = 60_000;

/** A session over a role service that counts its sessions, and fails the first so many requests. */
function counted(failures = 0) {
  const clock = { now: 0 };
  const requests: object[] = [];
  const assume = async (asked: object) => {
    requests.push(asked);
    if (requests.length <= failures) throw new Error('STS is away');
    return { accessKeyId: `key-${requests.length}`, secretAccessKey: 'secret' };
  };
  return { clock, requests, session: roleSession(ROLE, { assume, now: () => clock.now }) };
}

test('one session serves all callers until shortly before its end', async () => {
  const { clock, requests, session } = counted();
  const [one, other] = await Promise.all([session(), session()]);
  expect([one.accessKeyId, other.accessKeyId]).toEqual(['key-1', 'key-1']);
  clock.now = 54 * MINUTE_MS;
  expect((await session()).accessKeyId).toBe('key-1');
  clock.now = 55 * MINUTE_MS;
  expect(await session()).toMatchObject({ accessKeyId: 'key-2', expiration: new Date(115 * MINUTE_MS) });
  expect(requests).toEqual([1, 2].map(() => ({ ...ROLE, seconds: 3600 })));
});

test('a failed request for a session is not cached', async () => {
  const { session } = counted(1);
  await expect(session()).rejects.toThrow('STS is away');
  expect((await session()).accessKeyId).toBe('key-2');
});
