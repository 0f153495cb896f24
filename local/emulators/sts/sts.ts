import * as z from 'zod';
import { type Emulator, type EmulatorOptions, ServiceError } from '../wire.ts';
import { serveXml } from '../xml.ts';
import { openSessions, type Session } from './sessions.ts';

/** Maximum length of an inline session policy in characters. */
const MAX_POLICY_LENGTH = 2048;
const NAMESPACE = 'https://sts.amazonaws.com/doc/2011-06-15/';

const AssumeRole = z.object({
  Action: z.literal('AssumeRole'),
  Version: z.literal('2011-06-15'),
  RoleArn: z.string().regex(/^arn:aws:iam::\d{12}:role\/[\w+=,.@/-]+$/),
  RoleSessionName: z.string().regex(/^[\w+=,.@-]{2,64}$/),
  // Role chaining limits a session to one hour.
  DurationSeconds: z.coerce.number().int().min(900).max(3600).default(3600),
  Policy: z.string().max(MAX_POLICY_LENGTH).optional(),
});

function parsePolicy(text: string): Session['policy'] {
  try {
    return JSON.parse(text);
  } catch {
    throw new ServiceError('MalformedPolicyDocument', 'The policy is not valid JSON.');
  }
}

/** Starts an emulator of AWS STS: AssumeRole with a session policy, called by a session of a function's role. */
export const startSts = ({ dataDir, port }: EmulatorOptions): Promise<Emulator> => {
  const sessions = openSessions(dataDir);
  return serveXml(port, NAMESPACE, ({ body }) => {
    const input = AssumeRole.safeParse(Object.fromEntries(new URLSearchParams(body.toString('utf8'))));
    if (!input.success) throw new ServiceError('ValidationError', z.prettifyError(input.error));
    const { RoleArn: role, RoleSessionName: name, DurationSeconds, Policy } = input.data;
    const expiresAt = Date.now() + DurationSeconds * 1000;
    const policy = Policy === undefined ? undefined : parsePolicy(Policy);
    const { accessKeyId, secretAccessKey, sessionToken } = sessions.issue({ role, name, expiresAt, policy });
    const Credentials = {
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      SessionToken: sessionToken,
      Expiration: new Date(expiresAt).toISOString(),
    };
    return { document: ['AssumeRoleResponse', { AssumeRoleResult: { Credentials } }] };
  });
};
