import { MAX_LAYER_BYTES } from '../../../contract/deployments/artifact-size.ts';
import { AWS_LIMITS } from '../../../contract/limits/aws-limits.ts';
import { ServiceError, type WireRequest } from '../wire.ts';
import type { LambdaFunction } from './functions.ts';

const refused = (message: string) => new ServiceError('InvalidParameterValueException', message);

/** Throws if code exceeds Lambda's limit together with its layers. Each layer counts as the largest one. */
export function assertUnpackedSize(bytes: number, layers: number): void {
  const limit = AWS_LIMITS.lambdaUnzippedBytes.value;
  if (bytes > limit) throw refused(`Unzipped size must be smaller than ${limit} bytes`);
  const actual = bytes + layers * MAX_LAYER_BYTES;
  if (actual <= limit) return;
  throw refused(
    `Function code combined with layers exceeds the maximum allowed size of ${limit} bytes. The actual size is ${actual} bytes.`,
  );
}

/** Throws if an archive is too large for a request. Larger archives must come from S3. */
export function assertUploadSize(bytes: number): void {
  if (bytes > AWS_LIMITS.lambdaDirectUploadBytes.value)
    throw new ServiceError('RequestTooLargeException', 'Request must be smaller than 52428800 bytes', 413);
}

export function assertLayers(count: number): void {
  const limit = AWS_LIMITS.lambdaLayers.value;
  if (count > limit) throw refused(`The number of layers must be at most ${limit}.`);
}

/** Throws if the names and values of the variables exceed the limit together. */
export function assertEnvironmentSize(variables: Record<string, string>): void {
  const text = Object.entries(variables).flat().join('');
  if (Buffer.byteLength(text) <= AWS_LIMITS.lambdaEnvironmentBytes.value) return;
  throw refused(
    'Lambda was unable to configure your environment variables because the environment variables you have provided exceeded the 4KB limit.',
  );
}

export function assertPolicySize(statements: LambdaFunction['policy']): void {
  const policy = JSON.stringify({ Version: '2012-10-17', Id: 'default', Statement: Object.values(statements) });
  if (Buffer.byteLength(policy) <= AWS_LIMITS.lambdaPolicyBytes.value) return;
  throw new ServiceError(
    'PolicyLengthExceededException',
    `The final policy size is bigger than the limit (${AWS_LIMITS.lambdaPolicyBytes.value}).`,
  );
}

export function assertEventSize({ body }: WireRequest): void {
  const limit = AWS_LIMITS.lambdaPayloadBytes.value;
  if (body.length > limit)
    throw new ServiceError('RequestTooLargeException', `Request must be smaller than ${limit} bytes`, 413);
}

const MAX_STORED_BYTES = AWS_LIMITS.lambdaCodeStorage.value * 1024 ** 3;
const storedBytes = (functions: Record<string, LambdaFunction>): number =>
  Object.values(functions)
    .flatMap(({ latest, versions }) => [latest, ...Object.values(versions)])
    .reduce((sum, { CodeSize }) => sum + CodeSize, 0);

/** Returns the response of GetAccountSettings: the account's limits and usage. */
export function accountSettings(functions: Record<string, LambdaFunction>) {
  const concurrency = AWS_LIMITS.lambdaConcurrency.value;
  const reserved = Object.values(functions).reduce((sum, each) => sum + (each.reservedConcurrency ?? 0), 0);
  return {
    AccountLimit: {
      TotalCodeSize: MAX_STORED_BYTES,
      CodeSizeUnzipped: AWS_LIMITS.lambdaUnzippedBytes.value,
      CodeSizeZipped: AWS_LIMITS.lambdaDirectUploadBytes.value,
      ConcurrentExecutions: concurrency,
      UnreservedConcurrentExecutions: Math.max(0, concurrency - reserved),
    },
    AccountUsage: { TotalCodeSize: storedBytes(functions), FunctionCount: Object.keys(functions).length },
  };
}

/** Throws if the added code would exceed the account's storage, together with all versions of all functions. */
export function assertStorage(functions: Record<string, LambdaFunction>, added: number): void {
  if (storedBytes(functions) + added > MAX_STORED_BYTES)
    throw new ServiceError('CodeStorageExceededException', 'Code storage limit exceeded.');
}
