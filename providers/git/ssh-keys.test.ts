import ssh2 from 'ssh2';
import { expect, test } from 'vitest';
import { newSshKeyPair } from './ssh-keys.ts';

test('another SSH implementation reads both halves, and they match', () => {
  for (let count = 0; count < 20; count += 1) {
    const { publicKey, privateKey } = newSshKeyPair('app_1'.padEnd(5 + count, 'x'));
    const parsed = ssh2.utils.parseKey(privateKey);
    const known = ssh2.utils.parseKey(publicKey);
    if (parsed instanceof Error || known instanceof Error) throw parsed;
    expect(known.type).toBe('ssh-ed25519');
    expect(parsed.getPublicSSH()).toEqual(known.getPublicSSH());
    expect(known.verify('text', parsed.sign('text'))).toBe(true);
  }
});

test('keys are unique', () => {
  expect(newSshKeyPair('a').publicKey).not.toBe(newSshKeyPair('a').publicKey);
});
