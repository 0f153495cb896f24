import * as z from 'zod';
import { type Emulator, type EmulatorOptions, serve, type WireResponse } from '../wire.ts';
import { openSessions, type Session } from './sessions.ts';

/** Maximum length of an inline session policy in characters. */
const MAX_POLICY_LENGTH = 2048;

const AssumeRole = z.object({
  Action: z.literal('AssumeRole'),
  Version: z.literal('2011-06-15'),
  RoleArn: z.string().regex(/^arn:aws:iam::\d{12}:role\/[\w+=,.@/-]+$/),
  RoleSessionName: z.string().regex(/^[\w+=,.@-]{2,64}$/),
  // Role chaining limits a session to one hour.
  DurationSeconds: z.coerce.number().int().min(900).max(3600).default(3600),
  Policy: z.string().max(MAX_POLICY_LENGTH).optional(),
});

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Starts an emulator of AWS STS: AssumeRole with a session policy, called by a session of a function's role. */
export const startSts = ({ dataDir, port }: EmulatorOptions): Promise<Emulator> => {
  const sessions = openSessions(dataDir);
  const answer = (status: number, body: string): WireResponse => ({ status, body: Buffer.from(body) });
  const fail = (code: string, message: string): WireResponse =>
    answer(
      400,
      `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error></ErrorResponse>`,
    );
  return serve(port, 'text/xml', ({ body }) => {
    const form = Object.fromEntries(new URLSearchParams(body.toString('utf8')));
    const input = AssumeRole.safeParse(form);
    if (!input.success) return fail('ValidationError', z.prettifyError(input.error));
    const { RoleArn: role, RoleSessionName: name, DurationSeconds, Policy } = input.data;
    const expiresAt = Date.now() + DurationSeconds * 1000;
    let session: Session;
    try {
      session = { role, name, expiresAt, policy: Policy === undefined ? undefined : JSON.parse(Policy) };
    } catch {
      return fail('MalformedPolicyDocument', 'The policy is not valid JSON.');
    }
    const { accessKeyId, secretAccessKey, sessionToken } = sessions.issue(session);
    return answer(
      200,
      [
        '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>',
        `<AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>`,
        `<SessionToken>${sessionToken}</SessionToken><Expiration>${new Date(expiresAt).toISOString()}</Expiration>`,
        '</Credentials></AssumeRoleResult></AssumeRoleResponse>',
      ].join(''),
    );
  });
};
