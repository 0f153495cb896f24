import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { openCallback } from './callback.ts';

test('accepts only the answer to its own sign-in, and only from this machine', async () => {
  const callback = await openCallback();
  try {
    const { port } = new URL(callback.url);
    const code = callback.code('mine', new AbortController().signal);
    const ask = async (path: string, host = '127.0.0.1') => (await fetch(`http://${host}:${port}${path}`)).status;
    expect(await ask('/callback?state=other&code=theirs')).toBe(404);
    expect(await ask('/callback?code=theirs')).toBe(404);
    expect(await ask('/?state=mine&code=theirs')).toBe(404);
    const outside = Object.values(networkInterfaces()).flatMap(
      (each) => each?.filter(({ internal }) => !internal) ?? [],
    );
    for (const { address } of outside.filter(({ family }) => family === 'IPv4'))
      await expect(ask('/callback?state=mine&code=theirs', address)).rejects.toThrow();
    expect(await ask('/callback?state=mine&code=mine')).toBe(200);
    expect(await code).toBe('mine');
    const refused = callback.code('again', new AbortController().signal);
    const [status] = await Promise.all([
      ask('/callback?state=again&error=access_denied&error_description=No'),
      expect(refused).rejects.toThrow('The sign-in was refused: No'),
    ]);
    expect(status).toBe(200);
  } finally {
    callback.close();
  }
});
