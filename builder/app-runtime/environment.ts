/**
 * Runs inside the application's process before the application (`node --import`). Decrypts its environment variables, adds the variables of
 * its databases (the owner's variables take precedence), puts both into `process.env`, and removes the platform's variables. It is a
 * separate, small bundle, because it is part of every cold start.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import aws4 from 'aws4';
import { authToken } from '../../providers/databases/token.ts';
import { createSecrets, type Sealed } from '../../providers/encryption/secrets.ts';
import { sendRequest } from '../http.ts';
import { databaseVariables, mergeVariables, type ReleaseDatabase } from './databases.ts';
import { limitOutput } from './output-limit.ts';
import { prepareToServe } from './prepare.ts';

const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION = 'us-east-1' } = process.env;

prepareToServe(process.env);

/** Credentials of the function's role. */
const credentials = {
  accessKeyId: AWS_ACCESS_KEY_ID ?? '',
  secretAccessKey: AWS_SECRET_ACCESS_KEY ?? '',
  ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
};

/**
 * Validity of a database's password in seconds: longer than a Lambda process lives. The password also expires with its credentials. It is
 * checked only when a connection opens.
 */
const PASSWORD_SECONDS = 12 * 3600;

/** Pause in milliseconds before the first retry of a call. It doubles with each further retry. */
const RETRY_PAUSE_MS = 200;

/**
 * Calls KMS with the function's role, which has few other permissions. Retries twice after random pauses, because instances that start
 * concurrently share the rate limit of KMS.
 */
async function callKms<Output>(region: string, operation: string, input: object): Promise<Output> {
  const endpoint = new URL(process.env.AWS_ENDPOINT_URL_KMS ?? `https://kms.${region}.amazonaws.com`);
  const body = JSON.stringify(input);
  const request = aws4.sign(
    {
      service: 'kms',
      region,
      host: endpoint.host,
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${operation}` },
      body,
    },
    credentials,
  );
  const headers = Object.fromEntries(
    Object.entries(request.headers ?? {}).map(([name, value]) => [name, String(value)]),
  );
  for (let attempt = 1; ; attempt += 1) {
    try {
      const sent = { method: 'POST', url: endpoint, headers, content: Buffer.from(body), timeoutMs: 2000 };
      const { status, body: answer } = await sendRequest(sent);
      if (status !== 200) throw new Error(`KMS answered ${status}`);
      return JSON.parse(answer.toString());
    } catch (error) {
      if (attempt === 3) throw error;
      await sleep(RETRY_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }
}

/** Reads a JSON file that the build placed next to this module; undefined if there is none. */
function readAdjacentJson<T>(name: string): T | undefined {
  try {
    return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
  } catch {
    return undefined;
  }
}

// Workers and child processes of the application run this module too, but inherit their parent's variables, without the credentials.
if (AWS_ACCESS_KEY_ID) {
  const limits = readAdjacentJson<{ logKibPerMinute: number }>('./limits.json');
  if (limits) limitOutput([process.stdout, process.stderr], limits.logKibPerMinute);
  const sealed = readAdjacentJson<Sealed & { hostArn: string; keyRegion?: string }>('./env.json');
  const databases = readAdjacentJson<ReleaseDatabase[]>('./databases.json') ?? [];
  const derived = databaseVariables(databases, (database) => authToken(database, credentials, PASSWORD_SECONDS));
  if (!sealed) Object.assign(process.env, derived);
  if (sealed) {
    try {
      const { keyRegion = AWS_REGION } = sealed;
      const secrets = createSecrets((operation, input) => callKms(keyRegion, operation, input), '');
      const { NODE_OPTIONS: hostOptions } = process.env;
      const variables = JSON.parse(await secrets.unseal({ application: sealed.hostArn }, sealed));
      Object.assign(process.env, mergeVariables(derived, variables));
      // The application's Node options are appended to those of the host.
      if (hostOptions && variables.NODE_OPTIONS) process.env.NODE_OPTIONS = `${hostOptions} ${variables.NODE_OPTIONS}`;
    } catch (error) {
      console.error(
        `The environment variables could not be decrypted: ${error instanceof Error ? error.message : error}`,
      );
      process.exit(1);
    }
  }
  for (const name of Object.keys(process.env)) {
    if (
      /^(AWS_(ACCESS_KEY_ID|SECRET_ACCESS_KEY|SESSION_TOKEN|ENDPOINT_URL\w*|CONTAINER_\w+|LAMBDA_RUNTIME_API|LWA_\w+|LAMBDA_EXEC_WRAPPER))$/.test(
        name,
      )
    ) {
      delete process.env[name];
    }
  }
}
