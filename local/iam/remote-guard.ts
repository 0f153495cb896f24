import { openSessions, type Session } from '../emulators/sts/sessions.ts';
import { unpackResponse, type WireRequest } from '../emulators/wire.ts';
import { sendRequest } from '../engines/wire.ts';
import type { Access } from './authorizer.ts';
import { accessDenied } from './denial.ts';
import { createReader } from './guard.ts';

/** Maximum number of cached decisions. */
const MAX_DECISIONS = 5000;

/** Authorizes the requests to an engine in another process. Asks the main process, which has the policies, and caches its decisions. */
export interface RemoteGuard {
  /** Returns the response that denies a request; undefined if it is allowed. */
  authorize(request: WireRequest): Promise<ReturnType<typeof unpackResponse> | undefined>;
}

export interface RemoteGuardOptions {
  /** Directory of the key that signs sessions (local/emulators/sts/sessions.ts). */
  sessionsDir: string;
  /** URL of the run's authorizer (authorizer-server.ts). */
  authorizerUrl: string;
  /**
   * Returns an additional right that an otherwise allowed request needs. S3 reveals that an object does not exist only to callers that
   * may list the bucket.
   */
  furtherRight?: (request: WireRequest, accesses: readonly Access[]) => Promise<Access | undefined>;
}

export function createRemoteGuard({ sessionsDir, authorizerUrl, furtherRight }: RemoteGuardOptions): RemoteGuard {
  const read = createReader(openSessions(sessionsDir), () => ({}));
  let decisions = new Map<string, Promise<string | undefined>>();

  /** Returns the message that denies the accesses; undefined if the session has all rights. */
  const ask = (session: Session, accesses: readonly Access[], isProbe = false): Promise<string | undefined> => {
    const question = JSON.stringify({ session, accesses, isProbe });
    const known = decisions.get(question);
    if (known) return known;
    if (decisions.size >= MAX_DECISIONS) decisions = new Map();
    const decision = sendRequest(authorizerUrl, 'POST', {}, question).then(({ status, body }): string | undefined => {
      if (status !== 200) throw new Error(`The authorizer answered ${status}`);
      return JSON.parse(body.toString('utf8')).message;
    });
    decisions.set(question, decision);
    decision.catch(() => decisions.delete(question));
    return decision;
  };

  return {
    async authorize(request) {
      const identified = read(request);
      if (!identified) return undefined;
      if ('refused' in identified) return unpackResponse(identified.refused);
      const { session, service, accesses } = identified;
      let message = await ask(session, accesses);
      const further = message === undefined ? await furtherRight?.(request, accesses) : undefined;
      if (further) message = await ask(session, [further], true);
      return message === undefined ? undefined : unpackResponse(accessDenied(service, message));
    },
  };
}
