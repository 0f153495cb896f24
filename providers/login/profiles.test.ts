import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { readProfile } from './profiles.ts';

/** Reads the profile of a person for whom the issuer reports a name. */
async function nameOf(name: string | undefined): Promise<string> {
  const server = createServer(({ url = '', headers }, answer) => {
    const userinfo_endpoint = `http://${headers.host}/userinfo`;
    answer.end(JSON.stringify(url === '/userinfo' ? { email: 'thandi@example.com', name } : { userinfo_endpoint }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const profile = await readProfile(`http://127.0.0.1:${port}`, 'token');
  server.close();
  server.closeAllConnections();
  return profile.name;
}

test.each([
  ['  Thandi Mokoena ', 'Thandi Mokoena'],
  ['Thandi\r\n\u0000Mokoena\u2028!', 'Thandi Mokoena !'],
  ['n'.repeat(2048), 'n'.repeat(100)],
  ['😀'.repeat(101), '😀'.repeat(100)],
  [' \n ', 'thandi'],
  [undefined, 'thandi'],
])('the name of a login is one line of at most 100 characters: %j', async (name, expected) => {
  expect(await nameOf(name)).toBe(expected);
});
