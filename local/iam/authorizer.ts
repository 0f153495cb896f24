import { runUnsafeSimulation } from '@cloud-copilot/iam-simulate';
import type { Session } from '../emulators/sts/sessions.ts';
import type { JsonObject } from '../template/intrinsics.ts';
import { accountOfArn } from './operations/operation.ts';
import { matchesAction } from './patterns.ts';
import type { Policies, Statement } from './policies.ts';
import { createUsage, type Usage } from './usage.ts';

/** One right that a request needs. */
export interface Access {
  /** IAM action, such as `dynamodb:PutItem`. */
  action: string;
  /** ARN, or `*` for an action without resource-level permissions. */
  resource: string;
  /** Condition keys of the request, such as `kms:EncryptionContext:webhook`. */
  context?: Record<string, string | string[]>;
}

/** A denied request: the right that its caller lacks. */
export interface Denial extends Access {
  role: string;
  /** AWS's message. */
  message: string;
}

export interface Authorizer {
  /** Returns the first right that a session lacks. Undefined if it has all of them. */
  refuse(session: Session, accesses: readonly Access[]): Denial | undefined;
  readonly usage: Usage;
}

/** Maximum number of cached decisions. There are many, because each execution, object and function is a resource. */
const MAX_DECISIONS = 20_000;

/** On AWS, requests use TLS. The local run does not, so it sets the condition key. */
const TRANSPORT = { 'aws:SecureTransport': 'true' };

/** Returns the ARN of the resource that has the resource policy: the bucket for an object. */
const policyHolder = (resource: string): string =>
  resource.startsWith('arn:aws:s3:::') ? (resource.split('/')[0] ?? resource) : resource;

const asPolicy = (statements: readonly Statement[]) => ({
  Version: '2012-10-17',
  Statement: statements.map(({ document }) => document),
});

/** Wraps a resource policy with a name, which the library reads only from a policy that is marked as validated (0.1.173). */
const withName = (policyDocument: JsonObject) => ({
  __validated: true,
  policyDocument,
  metadata: { name: 'resource' },
  errors: [],
});

const mentions = ({ actions }: Statement, action: string): boolean =>
  actions.length === 0 || actions.some((pattern) => matchesAction(pattern, action));

/**
 * Creates an authorizer, which authorizes requests as IAM does: by the policies of the caller's role, the resource and the session,
 * with their conditions. `@cloud-copilot/iam-simulate` evaluates them. A decision takes about a millisecond and is cached by
 * caller, action, resource and condition keys.
 */
export function createAuthorizer({ roles, resources, bucketOwners }: Policies): Authorizer {
  const usage = createUsage(roles);
  const accounts = new Set([...roles.keys()].map(accountOfArn));
  let decisions = new Map<string, Denial | undefined>();

  /**
   * Returns the account that owns a resource. If it is not the caller's, the resource policy must allow the access too. AWS's resources,
   * such as public layers, count as the caller's.
   */
  const ownerOf = (resource: string, caller: string): string => {
    const owner = bucketOwners.get(policyHolder(resource)) ?? accountOfArn(resource);
    return accounts.has(owner) ? owner : caller;
  };

  const isAllowed = (
    session: Session,
    { action, resource, context }: Access,
    statements: readonly Statement[],
    resourcePolicy?: JsonObject,
  ): boolean => {
    const { role, name, sourceFunctionArn } = session;
    const result = runUnsafeSimulation(
      {
        request: {
          principal: `${role.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${name}`,
          action,
          resource: { resource, accountId: ownerOf(resource, accountOfArn(role)) },
          contextVariables: {
            ...TRANSPORT,
            'aws:PrincipalArn': role,
            ...(sourceFunctionArn ? { 'lambda:SourceFunctionArn': sourceFunctionArn } : {}),
            ...context,
          },
        },
        identityPolicies: [{ name: 'role', policy: asPolicy(statements) }],
        serviceControlPolicies: [],
        resourceControlPolicies: [],
        ...(resourcePolicy ? { resourcePolicy: withName(resourcePolicy) } : {}),
      },
      {},
    );
    return result === 'Allowed';
  };

  const authorize = (session: Session, access: Access): Denial | undefined => {
    const { action, resource } = access;
    const relevant = (roles.get(session.role) ?? []).filter((statement) => mentions(statement, action));
    const withinSession = !session.policy || isAllowed(session, access, sessionStatements(session));
    if (withinSession && isAllowed(session, access, relevant, resources.get(policyHolder(resource)))) {
      const granting = relevant.filter(({ effect }) => effect === 'Allow');
      // What a single statement decides was just evaluated.
      const isAlone = relevant.length === 1;
      usage.note(
        session.role,
        access,
        granting.filter(
          (statement) => isAlone || isAllowed(session, access, [statement], resources.get(policyHolder(resource))),
        ),
      );
      return undefined;
    }
    const user = `${session.role.replace(':iam:', ':sts:').replace(':role/', ':assumed-role/')}/${session.name}`;
    const policy = withinSession ? 'identity-based' : 'session';
    const message = `User: ${user} is not authorized to perform: ${action} on resource: ${resource} because no ${policy} policy allows the ${action} action`;
    return { role: session.role, ...access, message };
  };

  return {
    usage,
    refuse(session, accesses) {
      for (const access of accesses) {
        const { role, name, policy, sourceFunctionArn } = session;
        const key = JSON.stringify([role, name, policy, sourceFunctionArn, access]);
        if (!decisions.has(key)) {
          if (decisions.size >= MAX_DECISIONS) decisions = new Map();
          decisions.set(key, authorize(session, access));
        }
        const denial = decisions.get(key);
        if (denial) return denial;
      }
      return undefined;
    },
  };
}

/** Returns the statements of a session's policy. */
const sessionStatements = ({ policy }: Session): Statement[] =>
  (policy?.Statement ?? []).map(({ Effect, Action, Resource, Condition }) => ({
    effect: Effect,
    actions: Action,
    resources: Resource,
    document: { Effect, Action, Resource, ...(Condition ? { Condition } : {}) },
  }));
