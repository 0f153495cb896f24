import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { Local } from './platform.ts';

/** Invokes a function of the platform as an operator does with `aws lambda invoke`. @param name `<group>-<name>` */
export async function invokeFunction(local: Local, name: string, payload: object = {}): Promise<unknown> {
  const { environment } = local;
  const client = new LambdaClient({
    region: environment.AWS_REGION ?? '',
    endpoint: environment.AWS_ENDPOINT_URL_LAMBDA ?? '',
    credentials: {
      accessKeyId: environment.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: environment.AWS_SECRET_ACCESS_KEY ?? '',
    },
  });
  const invocation = new InvokeCommand({ FunctionName: `hosting-local-${name}`, Payload: JSON.stringify(payload) });
  const { Payload, FunctionError } = await client.send(invocation);
  const result = JSON.parse(Buffer.from(Payload ?? []).toString('utf8') || 'null');
  if (FunctionError) throw new Error(JSON.stringify(result));
  return result;
}

/** A line of a function's log. */
export interface LogLine {
  /** `<group>-<name>` of the function. */
  function: string;
  text: string;
  fields: Record<string, unknown>;
}

/** Returns what the platform's functions have logged so far. */
export const readLogs = (local: Local): LogLine[] =>
  readdirSync(local.logs)
    .filter((file) => /^hosting-local-.*\.log$/.test(file))
    .flatMap((file) =>
      readFileSync(join(local.logs, file), 'utf8')
        .split('\n')
        .filter((text) => text.startsWith('{'))
        .map((text) => ({
          function: file.slice('hosting-local-'.length, -'.log'.length),
          text,
          fields: JSON.parse(text) as Record<string, unknown>,
        })),
    );
