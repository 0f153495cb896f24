import { createHmac, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { matchesAction, matchesResource } from '../../iam/patterns.ts';
import { keyFromFile } from '../key-file.ts';

const Policy = z.object({
  Statement: z.array(
    z.object({
      Effect: z.literal('Allow'),
      Action: z.union([z.string(), z.array(z.string())]).transform((all) => [all].flat()),
      Resource: z.union([z.string(), z.array(z.string())]).transform((all) => [all].flat()),
      /** Operator → key → value. */
      Condition: z.record(z.string(), z.record(z.string(), z.string())).optional(),
    }),
  ),
});

export const Session = z.object({
  role: z.string(),
  name: z.string(),
  /** Milliseconds since the epoch. */
  expiresAt: z.number(),
  policy: Policy.optional(),
  /** The function that signs requests with the session. Lambda adds it to the context of the function's requests. */
  sourceFunctionArn: z.string().optional(),
});
export type Session = z.output<typeof Session>;

export interface SessionCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
}

/**
 * Issues and reads the credentials of sessions. The token contains the session, and the secret key is derived from the token, so
 * that every process of the local run can verify signatures without calling another process.
 * @param dataDir directory of the key. Tokens remain valid after a restart with the same directory
 */
export function openSessions(dataDir: string) {
  const key = keyFromFile(join(dataDir, 'sts'), 'session.key');
  const mac = (purpose: string, text: string) => createHmac('sha256', key).update(`${purpose}\0${text}`).digest();
  const secretOf = (token: string) => mac('secret', token).toString('base64');
  const keyIdOf = (token: string) => `ASIA${mac('id', token).toString('hex').slice(0, 16).toUpperCase()}`;

  return {
    issue(session: Session): SessionCredentials {
      const content = Buffer.from(JSON.stringify(session)).toString('base64url');
      const sessionToken = `${content}.${mac('token', content).toString('base64url')}`;
      return { accessKeyId: keyIdOf(sessionToken), secretAccessKey: secretOf(sessionToken), sessionToken };
    },
    /** Returns the session and the credentials of a token; undefined if the token was not issued with this key. */
    read(sessionToken: string): ({ session: Session } & Omit<SessionCredentials, 'sessionToken'>) | undefined {
      const [content = '', signature = ''] = sessionToken.split('.');
      const [given, expected] = [Buffer.from(signature, 'base64url'), mac('token', content)];
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
      const session = Session.parse(JSON.parse(Buffer.from(content, 'base64url').toString('utf8')));
      return { session, accessKeyId: keyIdOf(sessionToken), secretAccessKey: secretOf(sessionToken) };
    },
  };
}

export type Sessions = ReturnType<typeof openSessions>;

/** Returns true if a session's policy allows an action on a resource. A session without a policy has all rights of its role. */
export function isAllowed({ policy }: Session, action: string, resource: string): boolean {
  if (!policy) return true;
  // Only the authorizer evaluates conditions (local/iam/authorizer.ts).
  return policy.Statement.some(
    ({ Action, Resource, Condition }) =>
      !Condition &&
      Action.some((pattern) => matchesAction(pattern, action)) &&
      Resource.some((pattern) => matchesResource(pattern, resource)),
  );
}
