import type * as z from 'zod/mini';
import type { AuditAction } from './audit/actions.ts';
import { memoize } from './memoize.ts';
import type { Right } from './roles.ts';
import type { SwitchName } from './switches/switches.ts';
import type { Tag } from './tags.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Scopes of a key, chosen when it is created (specification, Authentication 1 and 5). */
export const SCOPES = ['read', 'write', 'deploy', 'domains', 'ai'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * Access rules of an operation: `any` valid secret key, a secret key with a scope, `catalogue` (public keys too),
 * `hook` (signed with the hook's secret, which the function checks), `none` (no key), a `login`, or the login of an
 * `operator` of the platform. A login may call what a key may, under the dashboard's path ({@link toDashboardPath}), as far as
 * its role has the route's {@link Route.right}.
 */
export type Access = Scope | 'any' | 'catalogue' | 'hook' | 'none' | 'login' | 'operator';

export type Path = `/${string}`;

/** A revoked or replaced key is out of use after this many seconds at the latest, answers in caches included. */
export const MAX_REVOCATION_DELAY_S = 15;

/** Everything that is called with a login is below this. */
export const DASHBOARD_PATH = '/dashboard/v1';

/** Operations of the platform's operators are below this. They are called with a login too. */
export const OPERATOR_PATH = '/operator/v1';

/**
 * Returns the path of an operation for logins: `/v1/apps` at `/dashboard/v1/apps`, `/ai/v1/models` at
 * `/dashboard/v1/ai/models` (design, section 5). Undefined for paths outside the APIs.
 */
export function toDashboardPath(path: Path): Path | undefined {
  if (path.startsWith(`${DASHBOARD_PATH}/`) || path.startsWith(`${OPERATOR_PATH}/`)) return path;
  if (path.startsWith('/v1/')) return `/dashboard${path}`;
  return path.startsWith('/ai/v1/') ? `${DASHBOARD_PATH}/ai/${path.slice('/ai/v1/'.length)}` : undefined;
}

/** Resources that a function uses beyond the table; the API stack turns each into variables and rights. */
export type Uses =
  | 'secrets'
  | 'builds'
  | 'app-logs'
  | 'app-metrics'
  | 'app-starts'
  | 'app-requests'
  | 'models'
  | 'signing'
  | 'receivers'
  | 'seller'
  | 'registrar'
  | 'panel'
  | 'databases'
  | 'database-size'
  | 'database-passwords'
  | 'git'
  | 'repositories'
  | 'hooks'
  | 'new-hook-secret'
  | 'new-deploy-key'
  | 'provider-keys'
  | 'payments'
  | 'dns'
  | 'edge-endpoint'
  | 'new-server-token'
  | 'adoption'
  | 'export-links'
  | 'mail-sender';

/** Resources that only operations of operators use (lib/stacks/operator-api.ts). */
export type OperatorUses = 'failures' | 'replay';

type UsesOf<A extends Access> = A extends 'operator' ? Uses | OperatorUses : Uses;

/** Every path that an operation answers at: its own, and the one for logins. */
export function listPaths({ path, alsoOnDashboard }: { path: Path; alsoOnDashboard: boolean }): Path[] {
  const forLogins = alsoOnDashboard ? toDashboardPath(path) : undefined;
  return forLogins && forLogins !== path ? [path, forLogins] : [path];
}

type MediaType = 'text/html' | 'application/pdf';

type Shape = z.ZodMiniObject;

/** The fields that every operation has. */
interface Operation {
  /** The operation's name: its function file, its Lambda, its operationId. */
  id: string;
  method: Method;
  /** `/v1/apps/{id}` */
  path: Path;
  access: Access;
  summary: string;
  tag: Tag;
}

/** The fields that have a usual value, which an operation's definition may leave out. */
interface Options<P extends Shape, Q extends Shape, B extends z.ZodMiniType, R, U extends Uses | OperatorUses> {
  /** Schemas are built when first needed: a cold start pays for none that it does not use. */
  params: (() => P) | undefined;
  query: (() => Q) | undefined;
  /** The JSON body, or undefined where it has no fields. */
  body: (() => B) | undefined;
  /** The status of success. */
  status: number;
  /** The answer (no request needs its schema); undefined where it is not JSON. */
  response: (() => z.ZodMiniType<R>) | undefined;
  /** Media type of an answer that is not JSON. */
  mediaType: MediaType;
  uses: readonly U[];
  /** True where the operation is served to logins too; false where the dashboard has its own operation at that path. */
  alsoOnDashboard: boolean;
  /** True where a login of a suspended account is not refused. */
  whileSuspended: boolean;
  /** True where it is not refused while the account waits for its deletion, although it changes something. */
  whileClosing: boolean;
  /** Calls of one account in any 60 seconds, where an operation waits for a host that its caller chooses, or uses what all share. */
  perMinute?: number | undefined;
  /** The switches that refuse the operation while they are off. */
  stoppedBy: readonly SwitchName[];
}

export interface Route<
  P extends Shape = Shape,
  Q extends Shape = Shape,
  B extends z.ZodMiniType = z.ZodMiniType,
  R = unknown,
  U extends Uses | OperatorUses = Uses | OperatorUses,
> extends Operation,
    Options<P, Q, B, R, U> {
  /** The right that a login needs (contract/roles.ts); undefined where logins do not call, or are operators. */
  right: Right | undefined;
  /** The action of the audit log; undefined where nothing changes, or nothing that it records. */
  audit: AuditAction | undefined;
}

/** Returns true for an operation that reads a body as JSON, if only to name its fields where it has none. A hook reads its own. */
export const takesBody = ({ method, access }: Pick<Route, 'method' | 'access'>): boolean =>
  method !== 'GET' && method !== 'DELETE' && access !== 'hook';

/** Returns true for an operation that is refused while the account waits for its deletion. Calls to AI models go on. */
export const isChange = ({
  method,
  audit,
  whileClosing = false,
}: Partial<Pick<Route, 'method' | 'audit' | 'whileClosing'>>): boolean =>
  method !== 'GET' && audit !== undefined && !whileClosing;

/** The reason for which the audit log has no entry of an operation that is no GET. */
export interface Unaudited {
  because: string;
}

/**
 * Every operation that may change something says what the audit log calls the change, or why there is no entry: one that does
 * not say so does not compile. A read has an entry where an operator reads an account's data.
 */
type Audited =
  | { method: 'GET'; audit?: AuditAction }
  | { method: Exclude<Method, 'GET'>; audit: AuditAction | Unaudited };

/** Operations that no login calls as a member of an account. */
type WithoutMembers = 'none' | 'hook' | 'operator';

/**
 * The right that a login's role must have. An operation that logins may call and that names none does not compile; the others
 * name none.
 */
type LoginRight =
  | { access: WithoutMembers; right?: undefined }
  | { access: Exclude<Access, WithoutMembers>; alsoOnDashboard: false; right?: undefined }
  | { access: Exclude<Access, WithoutMembers>; right: Right };

type Nothing = z.ZodMiniObject<Record<never, never>>;

interface RouteDefinition<P extends Shape, Q extends Shape, B extends z.ZodMiniType, R, A extends Access>
  extends Operation,
    Partial<Options<P, Q, B, R, UsesOf<A>>> {
  access: A;
  /** True where the operation goes on in read-only mode. */
  whileReadOnly?: boolean;
}

/**
 * Defines an operation; what is left out has the usual value (no parameters, no body, 200). Calls are marked `@__PURE__`, so
 * that a bundle leaves out the operations that it does not serve.
 */
export function route<
  P extends Shape = Nothing,
  Q extends Shape = Nothing,
  B extends z.ZodMiniType = z.ZodMiniUndefined,
  R = unknown,
  A extends Access = Access,
>({
  audit,
  stoppedBy = [],
  whileReadOnly,
  right,
  ...definition
}: RouteDefinition<P, Q, B, R, A> & Audited & LoginRight): Route<P, Q, B, R, UsesOf<A>> {
  const isUnaffected = whileReadOnly ?? (definition.method === 'GET' || definition.access === 'operator');
  return {
    status: 200,
    mediaType: 'text/html',
    uses: [],
    alsoOnDashboard: true,
    whileSuspended: false,
    whileClosing: false,
    ...definition,
    right,
    audit: typeof audit === 'string' ? audit : undefined,
    stoppedBy: [...stoppedBy, ...(isUnaffected ? [] : (['read-only'] as const))],
    params: definition.params && memoize(definition.params),
    query: definition.query && memoize(definition.query),
    body: definition.body && memoize(definition.body),
    response: definition.response && memoize(definition.response),
  };
}

/** A shape's fields; of one without any, nothing is said (and not that there may be none). */
type Fields<S extends Shape> = string extends keyof z.output<S> ? unknown : z.output<S>;

/** The parsed path, query and body of a call, in one object: what a domain function receives. */
export type Input<T> =
  T extends Route<infer P, infer Q, infer B, unknown>
    ? Fields<P> & Fields<Q> & (B extends Shape ? z.output<B> : unknown)
    : never;

/** The input of a call before defaults are filled in. */
export type CallerInput<T> =
  T extends Route<infer P, infer Q, infer B, unknown>
    ? { params?: z.input<P>; query?: z.input<Q>; body?: B extends z.ZodMiniType ? z.input<B> : undefined }
    : never;

export type Output<T> = T extends Route<Shape, Shape, z.ZodMiniType, infer R> ? R : never;
