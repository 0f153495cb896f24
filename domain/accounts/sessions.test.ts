import { expect, test } from 'vitest';
import { ACCESS_TOKEN_S } from '../../contract/accounts/session.ts';
import { Login } from '../../table/entities/accounts.ts';
import { change, create } from '../../table/writes.ts';
import { billingSimulation } from '../../test/simulation/billing.ts';
import { deleteSession, MAX_ENDED_SESSIONS, sessionEnded, sessionKey, sessionOpen } from './sessions.ts';

async function harness() {
  const { deps, open, clock } = billingSimulation({});
  const accountId = await open(0);
  await deps.table.transact([create(Login, { subject: 'ann', accountId, listed: true })]);
  const epoch = () => Math.floor(clock.now / 1000);
  const keyOf = (name: string) => sessionKey(`session ${name}`);
  const signOut = (name: string, tokenSeconds = ACCESS_TOKEN_S) =>
    deleteSession(deps, {
      accountId,
      keyId: '',
      login: true,
      session: {
        subject: 'ann',
        key: keyOf(name),
        expiresAtEpoch: epoch() + tokenSeconds,
        readProfile: () => Promise.reject(new Error('not needed to sign out')),
      },
    });
  /** Makes a request, as runtime/http/identify.ts does. */
  const isOpen = async (name: string) => {
    const when = sessionOpen({ key: keyOf(name) });
    const write = change(Login, { subject: 'ann' }, { add: { counter: 1 }, when }, sessionEnded);
    return await deps.table.write(Login, write).then(
      () => true,
      ({ code, status }) => [code, status],
    );
  };
  const listed = async () => Object.keys((await deps.table.get(Login, { subject: 'ann' }))?.endedSessions ?? {});
  return { deps, clock, signOut, isOpen, listed, keyOf };
}

test('ends one session of a login and no other, also when repeated', async () => {
  const { signOut, isOpen, listed, keyOf } = await harness();
  expect(await isOpen('phone')).toBe(true);
  for (let repetition = 0; repetition < 3; repetition += 1) {
    expect(await signOut('phone')).toEqual({ data: { id: keyOf('phone'), deleted: true } });
  }
  expect([await isOpen('phone'), await isOpen('laptop')]).toEqual([['unauthorized', 401], true]);
  expect(await listed()).toEqual([keyOf('phone')]);
});

test('lists all sessions that end concurrently', async () => {
  const { signOut, isOpen } = await harness();
  const names = ['phone', 'laptop', 'tablet', 'desk'];
  await Promise.all(names.map((name) => signOut(name)));
  for (const name of names) expect(await isOpen(name)).toEqual(['unauthorized', 401]);
  expect(await isOpen('watch')).toBe(true);
});

test('lists a session until a token renewed just before has expired, and then forgets it', async () => {
  const { signOut, isOpen, listed, clock, keyOf } = await harness();
  await signOut('phone', 10);
  clock.now += ACCESS_TOKEN_S * 1000;
  await signOut('laptop');
  expect(await isOpen('phone')).toEqual(['unauthorized', 401]);
  clock.now += ACCESS_TOKEN_S * 1000;
  await signOut('tablet');
  expect((await listed()).sort()).toEqual([keyOf('laptop'), keyOf('tablet')].sort());
});

test('lists a session until a token with a longer validity expires', async () => {
  const { signOut, isOpen, clock } = await harness();
  await signOut('phone', 24 * ACCESS_TOKEN_S);
  clock.now += 23.9 * ACCESS_TOKEN_S * 1000;
  await signOut('laptop');
  expect(await isOpen('phone')).toEqual(['unauthorized', 401]);
});

test('limits the size of the item that every request writes, and drops the sessions that expire first', async () => {
  const { signOut, isOpen, listed, clock } = await harness();
  for (let session = 0; session <= MAX_ENDED_SESSIONS; session += 1) {
    await signOut(`${session}`);
    clock.now += 1000;
  }
  expect(await listed()).toHaveLength(MAX_ENDED_SESSIONS);
  expect([await isOpen('0'), await isOpen('1'), await isOpen(`${MAX_ENDED_SESSIONS}`)]).toEqual([
    true,
    ['unauthorized', 401],
    ['unauthorized', 401],
  ]);
});

test('refuses a caller without a session', async () => {
  const { deps } = await harness();
  await expect(deleteSession(deps, { accountId: 'acc_1', keyId: 'key_1' })).rejects.toMatchObject({ status: 401 });
});
