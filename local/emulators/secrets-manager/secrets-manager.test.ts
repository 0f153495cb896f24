import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SecretsManager, startSecretsManager } from './secrets-manager.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'secrets-manager-'));
const secret = (name: string, properties = {}) => ({
  type: 'AWS::SecretsManager::Secret',
  stack: 'test',
  logicalId: name,
  name,
  ref: name,
  account: '000000000000',
  arn: `arn:aws:secretsmanager:af-south-1:000000000000:secret:${name}-AbCdEf`,
  properties,
});
const secrets = [
  secret('generated', { GenerateSecretString: { PasswordLength: 40, ExcludePunctuation: true } }),
  secret('empty'),
];
let emulator: SecretsManager;
beforeAll(async () => {
  emulator = await startSecretsManager({ dataDir, secrets });
  Object.assign(process.env, {
    AWS_REGION: 'af-south-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: emulator.url,
  });
});
afterAll(async () => {
  await emulator.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const modules = () =>
  Promise.all([import('../../../runtime/aws/client.ts'), import('../../../runtime/aws/secret-values.ts')]);

test('the runtime reads a version by its stage, by name and by ARN, and finds nothing in an empty secret', async () => {
  const [{ callAws }, { readSecret }] = await modules();
  const first = await readSecret('generated', 'AWSCURRENT');
  expect(first).toMatch(/^[0-9a-f]{40}$/);
  expect(await readSecret('generated', 'AWSPREVIOUS')).toBeUndefined();
  expect(await readSecret('empty', 'AWSCURRENT')).toBeUndefined();
  expect(await readSecret('unknown', 'AWSCURRENT')).toBeUndefined();
  await callAws('secretsmanager', 'PutSecretValue', { SecretId: 'generated', SecretString: 'second' });
  expect(await readSecret(secrets[0]?.arn ?? '', 'AWSCURRENT')).toBe('second');
  expect(await readSecret('generated', 'AWSPREVIOUS')).toBe(first);
});

test('a repeated token stores one version, and one with another value is refused', async () => {
  const [{ callAws }] = await modules();
  const put = (SecretString: string) =>
    callAws<{ VersionId: string }>('secretsmanager', 'PutSecretValue', {
      SecretId: 'empty',
      SecretString,
      ClientRequestToken: 'a'.repeat(32),
    });
  expect((await put('one')).VersionId).toBe('a'.repeat(32));
  await put('one');
  await expect(put('two')).rejects.toMatchObject({ name: 'ResourceExistsException', status: 400 });
  const described = await callAws<{ VersionIdsToStages: object }>('secretsmanager', 'DescribeSecret', {
    SecretId: 'empty',
  });
  expect(described.VersionIdsToStages).toEqual({ ['a'.repeat(32)]: ['AWSCURRENT'] });
});

test('values survive a restart, and a secret is created once', async () => {
  const before = emulator.values();
  const restarted = await startSecretsManager({ dataDir, secrets });
  expect(restarted.values()).toEqual(before);
  await restarted.stop();
});
