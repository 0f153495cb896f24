import {
  type Architecture,
  CreateFunctionCommand,
  GetFunctionCommand,
  type LambdaClient,
  PublishVersionCommand,
  PutFunctionConcurrencyCommand,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
  waitUntilFunctionActiveV2,
  waitUntilFunctionUpdatedV2,
} from '@aws-sdk/client-lambda';
import { TIMEOUTS_S } from '../../contract/limits/timeouts.ts';
import { tolerate } from '../aws-errors.ts';
import { isConfigured, wantedConfiguration } from './configuration.ts';
import { MISSING } from './refusals.ts';

/** The application to host. */
export interface HostedApp {
  applicationId: string;
  nodeVersion: string;
  /** Maximum concurrent requests; the host refuses more with 429. */
  concurrency: number;
}

/** An object with the code of a release. */
export interface Artifact {
  bucket: string;
  key: string;
}

interface Uploaded {
  /** SHA-256 of the archive in base64. */
  hash: string | undefined;
  reserved: number | undefined;
}

export interface AppHostSettings {
  prefix: string;
  roleArn: string;
  adapterLayerArn: string;
  /** Copies an artifact to a bucket in the function's region, where Lambda can read it. Undefined if artifacts are in that region. */
  copy?: ((artifact: Artifact) => Promise<Artifact>) | undefined;
}

/** Maximum wait for Lambda to apply new code or settings, in seconds. */
const MAX_UPDATE_WAIT_SECONDS = TIMEOUTS_S.release.update;

/**
 * Returns a function that publishes a version of an application's Lambda function with exactly the given code, and returns the version's
 * number. It creates the Lambda function if it does not exist.
 */
export function createPublisher(client: LambdaClient, settings: AppHostSettings) {
  // The waiters call GetFunction, whose own rate of 100 a second is enough for the releases that start in half a minute (1.5 a second).
  const waiter = { client, maxWaitTime: MAX_UPDATE_WAIT_SECONDS, minDelay: 0.25, maxDelay: 0.5 };
  const waitUntilUpdated = (FunctionName: string) => waitUntilFunctionUpdatedV2(waiter, { FunctionName });
  const waitUntilActive = (FunctionName: string, Qualifier?: string) =>
    waitUntilFunctionActiveV2(waiter, Qualifier ? { FunctionName, Qualifier } : { FunctionName });

  /** Uploads the code and settings of the function. Returns the code's hash and the concurrency that is currently reserved. */
  async function upload(app: HostedApp, { bucket, key }: Artifact): Promise<Uploaded> {
    const FunctionName = settings.prefix + app.applicationId;
    const architectures: Architecture[] = ['arm64'];
    const code = { S3Bucket: bucket, S3Key: key };
    const wanted = wantedConfiguration(settings, app.nodeVersion);
    const existing = await tolerate(client.send(new GetFunctionCommand({ FunctionName })), MISSING);
    if (!existing) {
      const input = { FunctionName, Code: code, Architectures: architectures, ...wanted };
      const { CodeSha256: hash } = await client.send(new CreateFunctionCommand(input));
      await waitUntilActive(FunctionName);
      return { hash, reserved: undefined };
    }
    const found = existing.Configuration;
    // An earlier run of this step may have started these.
    if (found?.State === 'Pending') await waitUntilActive(FunctionName);
    if (found?.LastUpdateStatus === 'InProgress') await waitUntilUpdated(FunctionName);
    // Skipped when nothing has changed, the usual case: Lambda needs seconds for this.
    if (!found || !isConfigured(found, wanted)) {
      await client.send(new UpdateFunctionConfigurationCommand({ FunctionName, ...wanted }));
      await waitUntilUpdated(FunctionName);
    }
    const update = { FunctionName, ...code, Architectures: architectures };
    const { CodeSha256: hash } = await client.send(new UpdateFunctionCodeCommand(update));
    await waitUntilUpdated(FunctionName);
    return { hash, reserved: existing.Concurrency?.ReservedConcurrentExecutions };
  }

  return async (app: HostedApp, { bucket, key }: Artifact): Promise<string> => {
    const { hash, reserved } = await upload(app, { bucket, key });
    const FunctionName = settings.prefix + app.applicationId;
    // Without a reservation, one application could use up the concurrency that all functions of the AWS account share.
    const ReservedConcurrentExecutions = app.concurrency;
    if (reserved !== ReservedConcurrentExecutions)
      await client.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }));
    const version = { FunctionName, CodeSha256: hash, Description: key };
    const { Version } = await client.send(new PublishVersionCommand(version));
    if (!Version) throw new Error('Lambda published a version without a number');
    await waitUntilActive(FunctionName, Version);
    return Version;
  };
}
