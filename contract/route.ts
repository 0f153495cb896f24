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
 * `operator` of the platform. A login may also call the operations for keys, under the dashboard's path ({@link toDashboardPath}),
 * if its role grants the route's {@link Route.right}.
 */
export type Access = Scope | 'any' | 'catalogue' | 'hook' | 'none' | 'login' | 'operator';

export type Path = `/${string}`;

/** The longest time in seconds for which a revoked or replaced key may still work, including cached results. */
export const MAX_REVOCATION_DELAY_S = 15;

/** The base path of operations that are called with a login. */
export const DASHBOARD_PATH = '/dashboard/v1';

/** The base path of the operators' operations, which are called with a login too. */
export const OPERATOR_PATH = '/operator/v1';

/**
 * Returns the path of an operation for logins: `/dashboard/v1/apps` for `/v1/apps`, `/dashboard/v1/ai/models` for
 * `/ai/v1/models`. Undefined for paths outside the APIs.
 */
export function toDashboardPath(path: Path): Path | undefined {
  if (path.startsWith(`${DASHBOARD_PATH}/`) || path.startsWith(`${OPERATOR_PATH}/`)) return path;
  if (path.startsWith('/v1/')) return `/dashboard${path}`;
  return path.startsWith('/ai/v1/') ? `${DASHBOARD_PATH}/ai/${path.slice('/ai/v1/'.length)}` : undefined;
}

/** Resources that a function uses besides the table. The API stack turns each into environment variables and IAM permissions. */
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

/** Resources that only operator operations use (lib/stacks/operator-api.ts). */
export type OperatorUses = 'failures' | 'replay';

type UsesOf<A extends Access> = A extends 'operator' ? Uses | OperatorUses : Uses;

/** Returns every path of an operation: its own, and the path for logins. */
export function listPaths({ path, alsoOnDashboard }: { path: Path; alsoOnDashboard: boolean }): Path[] {
  const forLogins = alsoOnDashboard ? toDashboardPath(path) : undefined;
  return forLogins && forLogins !== path ? [path, forLogins] : [path];
}

type MediaType = 'text/html' | 'application/pdf';

type Shape = z.ZodMiniObject;

/** The fields that every operation must define. */
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

/** The fields of an operation that have a default. */
interface Options<P extends Shape, Q extends Shape, B extends z.ZodMiniType, R, U extends Uses | OperatorUses> {
  /** Schemas are built when first needed, so that a cold start does not pay for schemas that it does not use. */
  params: (() => P) | undefined;
  query: (() => Q) | undefined;
  /** The JSON body; undefined if the operation takes no fields. */
  body: (() => B) | undefined;
  /** The status of success. */
  status: number;
  /** The response body, for the OpenAPI document and types; undefined if it is not JSON. Requests never build this schema. */
  response: (() => z.ZodMiniType<R>) | undefined;
  /** The media type of a response that is not JSON. */
  mediaType: MediaType;
  uses: readonly U[];
  /** True if logins may call the operation too; false if the dashboard has another operation at that path. */
  alsoOnDashboard: boolean;
  /** True if logins may call the operation while the account is suspended. */
  whileSuspended: boolean;
  /** True if the operation is allowed while the account waits for its deletion, although it changes something. */
  whileClosing: boolean;
  /**
   * The calls that one account may make in any 60 seconds. For operations that wait for a host of the caller's choice, or that use
   * a quota which all accounts share.
   */
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
  /** The right that a login needs (contract/roles.ts); undefined if logins cannot call the operation, or only operators can. */
  right: Right | undefined;
  /** The action in the audit log; undefined if the operation changes nothing that the log records. */
  audit: AuditAction | undefined;
}

/**
 * Returns true for an operation whose body is parsed as JSON, even if the operation takes no fields: unknown fields are then named
 * to the caller. A hook reads its body itself.
 */
export const takesBody = ({ method, access }: Pick<Route, 'method' | 'access'>): boolean =>
  method !== 'GET' && method !== 'DELETE' && access !== 'hook';

/** Returns true for an operation that is refused while the account waits for its deletion. Calls to AI models stay allowed. */
export const isChange = ({
  method,
  audit,
  whileClosing = false,
}: Partial<Pick<Route, 'method' | 'audit' | 'whileClosing'>>): boolean =>
  method !== 'GET' && audit !== undefined && !whileClosing;

/** The reason why an operation other than GET has no entry in the audit log. */
export interface Unaudited {
  because: string;
}

/**
 * An operation that may change something must name its action in the audit log, or the reason why it has none; otherwise it does
 * not compile. A read has an entry only if an operator reads an account's data.
 */
type Audited =
  | { method: 'GET'; audit?: AuditAction }
  | { method: Exclude<Method, 'GET'>; audit: AuditAction | Unaudited };

/** Operations that no login calls as a member of an account. */
type WithoutMembers = 'none' | 'hook' | 'operator';

/**
 * The right that a login's role must grant. An operation that logins may call must name one; every other operation must not.
 */
type LoginRight =
  | { access: WithoutMembers; right?: undefined }
  | { access: Exclude<Access, WithoutMembers>; alsoOnDashboard: false; right?: undefined }
  | { access: Exclude<Access, WithoutMembers>; right: Right };

type EmptyShape = z.ZodMiniObject<Record<never, never>>;

interface RouteDefinition<P extends Shape, Q extends Shape, B extends z.ZodMiniType, R, A extends Access>
  extends Operation,
    Partial<Options<P, Q, B, R, UsesOf<A>>> {
  access: A;
  /** True if the operation is allowed in read-only mode. */
  whileReadOnly?: boolean;
}

/**
 * Defines an operation. Omitted fields have their default (no parameters, no body, status 200). Calls are marked `@__PURE__`, so
 * that a bundle leaves out the operations that it does not serve.
 */
export function route<
  P extends Shape = EmptyShape,
  Q extends Shape = EmptyShape,
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
  const isAllowedWhileReadOnly = whileReadOnly ?? (definition.method === 'GET' || definition.access === 'operator');
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
    stoppedBy: [...stoppedBy, ...(isAllowedWhileReadOnly ? [] : (['read-only'] as const))],
    params: definition.params && memoize(definition.params),
    query: definition.query && memoize(definition.query),
    body: definition.body && memoize(definition.body),
    response: definition.response && memoize(definition.response),
  };
}

/** The fields of a shape. `unknown` for the generic shape, so that an intersection with it adds nothing. */
type Fields<S extends Shape> = string extends keyof z.output<S> ? unknown : z.output<S>;

/** The input of a domain function: the parsed path, query and body of a call in one object. */
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
