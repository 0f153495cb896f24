import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import type { Resource } from '../../template/template.ts';
import { openState } from '../state.ts';
import { type Emulator, type EmulatorOptions, jsonOperations, parse, ServiceError, serve } from '../wire.ts';

const Version = z.object({ id: z.string(), value: z.string(), stages: z.array(z.string()), createdAt: z.number() });
type Version = z.output<typeof Version>;
const Secret = z.object({ arn: z.string(), versions: z.array(Version) });
type Secret = z.output<typeof Secret>;

/** A secret's value. Secrets Manager allows at most 65,536 bytes. */
const Value = z.string().min(1).max(65_536);
const SecretId = z.string().min(1).max(2048);
const GetSecretValue = z.object({
  SecretId,
  VersionId: z.string().optional(),
  VersionStage: z.string().optional(),
});
const PutSecretValue = z.object({
  SecretId,
  SecretString: Value,
  ClientRequestToken: z.string().min(32).max(64).optional(),
});
const DescribeSecret = z.object({ SecretId });

/** The properties of `AWS::SecretsManager::Secret` that determine the value of a new secret. */
const Properties = z.object({
  SecretString: z.string().optional(),
  GenerateSecretString: z
    .object({
      PasswordLength: z.coerce.number().default(32),
      SecretStringTemplate: z.string().optional(),
      GenerateStringKey: z.string().optional(),
    })
    .optional(),
});

const CURRENT = 'AWSCURRENT';
const PREVIOUS = 'AWSPREVIOUS';

/** An emulator of AWS Secrets Manager, with the secrets of the template. */
export interface SecretsManager extends Emulator {
  /** Returns the current value of a secret; undefined if there is none. */
  currentValue(name: string): string | undefined;
  /** Stores a value unless it is the current one. */
  put(name: string, value: string): void;
  /** Returns the current values by name. Omits secrets without a value. */
  values(): Record<string, string>;
}

/**
 * Starts an emulator of AWS Secrets Manager: GetSecretValue, PutSecretValue and DescribeSecret. A new value becomes
 * `AWSCURRENT` and the previous one `AWSPREVIOUS`. Creates the template's secrets as CloudFormation does, unless they exist: their
 * values survive a restart.
 */
export async function startSecretsManager({
  dataDir,
  port,
  secrets,
}: EmulatorOptions & { secrets: readonly Resource[] }): Promise<SecretsManager> {
  const state = openState(join(dataDir, 'secrets-manager', 'secrets.json'), z.record(z.string(), Secret), {});
  for (const { name, arn, properties } of secrets) {
    if (Object.hasOwn(state.value, name)) continue;
    const secret: Secret = { arn, versions: [] };
    const value = initialValue(Properties.parse(properties));
    if (value !== undefined) putVersion(secret, value);
    state.value[name] = secret;
  }
  state.save();

  const find = (id: string): [name: string, secret: Secret] => {
    const found = Object.entries(state.value).find(([name, { arn }]) => name === id || arn === id);
    if (!found) throw notFound("Secrets Manager can't find the specified secret.");
    return found;
  };
  const emulator = await serve(
    port,
    'application/x-amz-json-1.1',
    jsonOperations({
      GetSecretValue(body) {
        const { SecretId: id, VersionId, VersionStage = VersionId ? undefined : CURRENT } = parse(GetSecretValue, body);
        const [name, { arn, versions }] = find(id);
        const version = versions.find(
          ({ id: versionId, stages }) =>
            (VersionId === undefined || versionId === VersionId) &&
            (VersionStage === undefined || stages.includes(VersionStage)),
        );
        if (!version) {
          const label = VersionId ? `VersionId: ${VersionId}` : `staging label: ${VersionStage}`;
          throw notFound(`Secrets Manager can't find the specified secret value for ${label}`);
        }
        return {
          ARN: arn,
          Name: name,
          VersionId: version.id,
          SecretString: version.value,
          VersionStages: version.stages,
          CreatedDate: version.createdAt / 1000,
        };
      },
      PutSecretValue(body) {
        const { SecretId: id, SecretString, ClientRequestToken } = parse(PutSecretValue, body);
        const [name, secret] = find(id);
        const version = putVersion(secret, SecretString, ClientRequestToken);
        state.save();
        return { ARN: secret.arn, Name: name, VersionId: version.id, VersionStages: version.stages };
      },
      DescribeSecret(body) {
        const [name, { arn, versions }] = find(parse(DescribeSecret, body).SecretId);
        return {
          ARN: arn,
          Name: name,
          VersionIdsToStages: Object.fromEntries(versions.map((each) => [each.id, each.stages])),
        };
      },
    }),
  );
  const currentValue = (name: string) =>
    state.value[name]?.versions.find(({ stages }) => stages.includes(CURRENT))?.value;
  return {
    ...emulator,
    currentValue,
    put(name, value) {
      if (currentValue(name) === value) return;
      putVersion(find(name)[1], value);
      state.save();
    },
    values: () =>
      Object.fromEntries(
        Object.keys(state.value).flatMap((name) => [[name, currentValue(name)]].filter(([, value]) => value)),
      ),
  };
}

const notFound = (message: string) => new ServiceError('ResourceNotFoundException', message);

/** Adds a version as the current one. A repeated token with the same value adds nothing. */
function putVersion(secret: Secret, value: string, token: string = randomUUID()): Version {
  const repeated = secret.versions.find(({ id }) => id === token);
  if (repeated?.value === value) return repeated;
  if (repeated) {
    throw new ServiceError(
      'ResourceExistsException',
      `A resource with the ID you requested already exists. The version ${token} has another value.`,
    );
  }
  const version: Version = { id: token, value, stages: [CURRENT], createdAt: Date.now() };
  for (const each of secret.versions) each.stages = each.stages.includes(CURRENT) ? [PREVIOUS] : [];
  // Secrets Manager deletes versions without a stage at some time. The emulator deletes them immediately.
  secret.versions = [...secret.versions.filter(({ stages }) => stages.length > 0), version];
  return version;
}

/** Returns the value that CloudFormation gives a new secret; undefined if it creates the secret without a value. */
function initialValue({ SecretString: explicit, GenerateSecretString: generate }: z.output<typeof Properties>) {
  if (!generate) return explicit;
  const { PasswordLength: length, SecretStringTemplate: template, GenerateStringKey: key } = generate;
  const generated = randomBytes(length).toString('hex').slice(0, length);
  return template && key ? JSON.stringify({ ...JSON.parse(template), [key]: generated }) : generated;
}
