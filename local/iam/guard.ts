import type { Session, Sessions } from '../emulators/sts/sessions.ts';
import type { WireRequest, WireResponse } from '../emulators/wire.ts';
import type { Template } from '../template/template.ts';
import { type Access, createAuthorizer, type Denial } from './authorizer.ts';
import { accessDenied, invalidToken } from './denial.ts';
import { InvalidToken, openCallers, signatureOf } from './identity.ts';
import { accountOfArn } from './operations/operation.ts';
import { operationsOf, type TagsOf } from './operations/operations.ts';
import { type Policies, readPolicies } from './policies.ts';

/** A role's request with the rights that it needs, or the response that denies it. */
export type IdentifiedRequest =
  | { session: Session; service: string; accesses: readonly Access[] }
  | { refused: WireResponse };

/**
 * Creates a function that returns the caller of a request and the rights that it needs; undefined for the administrator's requests,
 * which need none. Denies a role's request if the operation is unknown, so that no request passes unchecked.
 */
export function createReader(
  sessions: Sessions,
  tagsOf: TagsOf,
): (request: WireRequest) => IdentifiedRequest | undefined {
  const callers = openCallers(sessions);
  const operations = operationsOf(tagsOf);
  return (request) => {
    const signature = signatureOf(request.headers, request.query);
    if (!signature) return undefined;
    const { service, region } = signature;
    let session: Session | undefined;
    try {
      session = callers.identify(signature);
    } catch (error) {
      if (error instanceof InvalidToken) return { refused: invalidToken(service) };
      throw error;
    }
    if (!session) return undefined;
    const accesses = operations[service]?.({ ...request, region, account: accountOfArn(session.role) });
    if (accesses) return { session, service, accesses };
    const operation = String(request.headers['x-amz-target'] ?? `${request.method} ${request.path}`);
    return {
      refused: accessDenied(
        service,
        `The local run does not know the rights of ${service} ${operation} (local/iam/operations/).`,
      ),
    };
  };
}

/** Authorizes the requests of roles. */
export interface Guard {
  /** Returns the response that denies a request; undefined if it is allowed. */
  authorize(request: WireRequest): WireResponse | undefined;
  /**
   * Returns the first right that a session lacks; undefined if it has all of them.
   * @param isProbe true if the session need not have the right, so that its lack is not reported as a denial
   */
  refuse(session: Session, accesses: readonly Access[], isProbe?: boolean): Denial | undefined;
  /** Sets the source of the resources' tags, which conditions compare. */
  readTags(tagsOf: TagsOf): void;
  /** Reads the policies. Before this call, all requests of roles are denied. */
  load(template: Template): void;
  /** Returns the keys of all granted rights, and of the used ones. */
  usage(): { granted: string[]; used: string[] };
}

const NO_POLICIES: Policies = { roles: new Map(), resources: new Map(), bucketOwners: new Map() };

/** Creates the guard of a run. It knows no role before its policies are loaded. */
export function createGuard(sessions: Sessions, onDenied: (denial: Denial, session: Session) => void): Guard {
  let authorizer = createAuthorizer(NO_POLICIES);
  let tags: TagsOf = () => ({});
  const read = createReader(sessions, (arn) => tags(arn));
  const refuse: Guard['refuse'] = (session, accesses, isProbe = false) => {
    const denial = authorizer.refuse(session, accesses);
    if (denial && !isProbe) onDenied(denial, session);
    return denial;
  };
  return {
    refuse,
    authorize(request) {
      const identified = read(request);
      if (!identified) return undefined;
      if ('refused' in identified) return identified.refused;
      const denial = refuse(identified.session, identified.accesses);
      return denial && accessDenied(identified.service, denial.message);
    },
    readTags(tagsOf) {
      tags = tagsOf;
    },
    load(template) {
      authorizer = createAuthorizer(readPolicies(template));
    },
    usage: () => ({ granted: authorizer.usage.granted(), used: authorizer.usage.used() }),
  };
}
