import {
  type Architecture,
  CreateFunctionCommand,
  type FunctionConfiguration,
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
import { isConfigured, wantedConfiguration } from './configuration.ts';
import { isMissing } from './refusals.ts';

/** The application that is to be hosted. */
export interface HostedApp {
  applicationId: string;
  nodeVersion: string;
  /** Requests at once; the host refuses more with 429. */
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
  /** Copies an artifact to where Lambda can read it: a bucket of the function's region. None where it is there already. */
  copy?: ((artifact: Artifact) => Promise<Artifact>) | undefined;
}

/** The longest wait for Lambda to take in new code or settings, in seconds. */
const MAX_UPDATE_WAIT_SECONDS = TIMEOUTS_S.release.update;

/**
 * Returns a function that publishes a version of an application's function with this code and no other, and returns its number. The function
 * is made if it is not there.
 */
export function createPublisher(client: LambdaClient, settings: AppHostSettings) {
  // These ask with GetFunction, whose own rate of 100 a second is enough for the releases that begin in half a minute (1.5 a second).
  const waiter = { client, maxWaitTime: MAX_UPDATE_WAIT_SECONDS, minDelay: 0.25, maxDelay: 0.5 };
  const settled = (FunctionName: string) => waitUntilFunctionUpdatedV2(waiter, { FunctionName });
  const active = (FunctionName: string, Qualifier?: string) =>
    waitUntilFunctionActiveV2(waiter, Qualifier ? { FunctionName, Qualifier } : { FunctionName });

  /** Gives the function its code and settings. Returns the code's hash, and the concurrency that is reserved for it so far. */
  async function upload(app: HostedApp, { bucket, key }: Artifact): Promise<Uploaded> {
    const FunctionName = settings.prefix + app.applicationId;
    const architectures: Architecture[] = ['arm64'];
    const code = { S3Bucket: bucket, S3Key: key };
    const wanted = wantedConfiguration(settings, app.nodeVersion);
    let found: FunctionConfiguration | undefined;
    let reserved: number | undefined;
    try {
      const { Configuration, Concurrency } = await client.send(new GetFunctionCommand({ FunctionName }));
      found = Configuration;
      reserved = Concurrency?.ReservedConcurrentExecutions;
    } catch (error) {
      if (!isMissing(error)) throw error;
      const made = { FunctionName, Code: code, Architectures: architectures, ...wanted };
      const { CodeSha256: hash } = await client.send(new CreateFunctionCommand(made));
      await active(FunctionName);
      return { hash, reserved };
    }
    // A repeated step meets what the one before it began.
    if (found?.State === 'Pending') await active(FunctionName);
    if (found?.LastUpdateStatus === 'InProgress') await settled(FunctionName);
    // Seconds on Lambda, and mostly nothing has changed.
    if (!found || !isConfigured(found, wanted)) {
      await client.send(new UpdateFunctionConfigurationCommand({ FunctionName, ...wanted }));
      await settled(FunctionName);
    }
    const update = { FunctionName, ...code, Architectures: architectures };
    const { CodeSha256: hash } = await client.send(new UpdateFunctionCodeCommand(update));
    await settled(FunctionName);
    return { hash, reserved };
  }

  return async (app: HostedApp, { bucket, key }: Artifact): Promise<string> => {
    const { hash, reserved } = await upload(app, { bucket, key });
    const FunctionName = settings.prefix + app.applicationId;
    // Without this, one application could use up the concurrency that all functions of the AWS account share.
    const ReservedConcurrentExecutions = app.concurrency;
    if (reserved !== ReservedConcurrentExecutions)
      await client.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions }));
    const version = { FunctionName, CodeSha256: hash, Description: key };
    const { Version } = await client.send(new PublishVersionCommand(version));
    if (!Version) throw new Error('Lambda published a version without a number');
    await active(FunctionName, Version);
    return Version;
  };
}
