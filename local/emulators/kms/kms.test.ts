import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Emulator } from '../wire.ts';
import { startKms } from './kms.ts';

let dataDir: string;
let kms: Emulator;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'kms-'));
  kms = await startKms({ dataDir });
});
afterEach(async () => {
  await kms.stop();
  rmSync(dataDir, { recursive: true });
});

const KeyId = 'arn:aws:kms:af-south-1:000000000000:key/one';
const call = async (operation: string, input: object) => {
  const headers = { 'x-amz-target': `TrentService.${operation}`, 'content-type': 'application/x-amz-json-1.1' };
  const answer = await fetch(kms.url, { method: 'POST', headers, body: JSON.stringify(input) });
  const body = (await answer.json()) as Record<string, string>;
  return { status: answer.status, type: answer.headers.get('x-amzn-errortype'), body };
};

test('decrypts a data key under its own context, in any order of fields and after a restart', async () => {
  const context = { application: 'a', stage: 'local' };
  const { body } = await call('GenerateDataKey', { KeyId, KeySpec: 'AES_256', EncryptionContext: context });
  expect(Buffer.from(body.Plaintext ?? '', 'base64')).toHaveLength(32);
  await kms.stop();
  kms = await startKms({ dataDir });
  const reordered = { stage: 'local', application: 'a' };
  const opened = await call('Decrypt', { CiphertextBlob: body.CiphertextBlob, EncryptionContext: reordered });
  expect(opened.body).toMatchObject({ KeyId, Plaintext: body.Plaintext });
});

test('refuses another context, another key or a modified blob', async () => {
  const Plaintext = Buffer.from('secret').toString('base64');
  const { body } = await call('Encrypt', { KeyId, Plaintext, EncryptionContext: { application: 'a' } });
  const blob = body.CiphertextBlob;
  const wrongContext = await call('Decrypt', { CiphertextBlob: blob, EncryptionContext: { application: 'b' } });
  expect(wrongContext).toMatchObject({ status: 400, type: 'InvalidCiphertextException' });
  expect(wrongContext.body.__type).toBe('InvalidCiphertextException');
  expect(await call('Decrypt', { CiphertextBlob: blob })).toMatchObject({ type: 'InvalidCiphertextException' });
  const context = { application: 'a' };
  const wrongKey = await call('Decrypt', { KeyId: 'other', CiphertextBlob: blob, EncryptionContext: context });
  expect(wrongKey.type).toBe('IncorrectKeyException');
  const changed = await call('Decrypt', {
    CiphertextBlob: `${blob?.slice(0, -8)}AAAAAAA=`,
    EncryptionContext: context,
  });
  expect(changed.type).toBe('InvalidCiphertextException');
  expect(await call('Decrypt', { CiphertextBlob: '' })).toMatchObject({ status: 400 });
});

test('answers invalid input with a ValidationException and names an unknown operation', async () => {
  expect((await call('GenerateDataKey', { KeyId })).type).toBe('ValidationException');
  expect((await call('Encrypt', { KeyId, Plaintext: 5 })).type).toBe('ValidationException');
  expect((await call('CreateKey', {})).type).toBe('UnknownOperationException');
});

test('lets only the owner read the master key', () => {
  expect(statSync(join(dataDir, 'kms', 'master.key')).mode & 0o777).toBe(0o600);
});
