import { ERRORS, type ErrorCode, errorBody } from '../errors.ts';
import { limitMessage } from '../limits/limits.ts';
import { isChange, type Route } from '../route.ts';
import type { Components, Json } from './components.ts';

/** Error responses of the operations: those that follow from an operation's definition, and those in {@link OWN_ERRORS}. */

/** Error codes of an operation that its access, input and method do not imply. */
export const OWN_ERRORS: Readonly<Record<string, readonly ErrorCode[]>> = {
  createApp: ['plan_limit'],
  createDeployment: ['plan_limit'],
  rollBack: ['plan_limit'],
  orderDomain: ['insufficient_funds'],
  createChatCompletion: ['insufficient_credits'],
  createDatabase: ['plan_limit', 'not_found'],
  createDatabasePassword: ['plan_limit'],
  setCustomDomain: ['plan_limit'],
  checkCustomDomain: ['plan_limit'],
  revokeKey: ['conflict'],
  buyAiCredits: ['insufficient_funds'],
  payInvoice: ['insufficient_funds'],
  createSubscription: ['insufficient_funds'],
  acceptInvitation: ['not_found'],
  cancelDeletion: ['not_found', 'conflict'],
  adjustMoney: ['insufficient_funds', 'insufficient_credits'],
};

const byAccess = ({ access }: Route): ErrorCode[] => {
  switch (access) {
    case 'none':
      return [];
    case 'hook':
      return ['unauthorized', 'not_found', 'invalid_request'];
    case 'any':
    case 'catalogue':
    case 'login':
    case 'operator':
      return ['unauthorized', 'forbidden'];
    default:
      return ['unauthorized', 'insufficient_scope', 'forbidden'];
  }
};

/** Returns the error codes that an operation can return. */
export function errorsOf(route: Route): ErrorCode[] {
  const codes: ErrorCode[] = [
    ...(route.params ? (['not_found'] as const) : []),
    ...(route.body || route.query || route.params ? (['invalid_request'] as const) : []),
    // An Idempotency-Key may be malformed, in use, or used by another request.
    ...(route.method === 'POST' && route.access !== 'hook' ? (['invalid_request', 'conflict'] as const) : []),
    // The account may be waiting for its deletion, or another operator may be changing the same.
    ...(isChange(route) && !['none', 'hook'].includes(route.access) ? (['conflict'] as const) : []),
    ...byAccess(route),
    ...(OWN_ERRORS[route.id] ?? []),
    'rate_limited',
    'server_error',
  ];
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => codes.includes(code));
}

/** Returns the statuses of an error code: `server_error` has three (specification, Errors). */
const statusesOf = (code: ErrorCode): number[] => (code === 'server_error' ? [500, 502, 503] : [ERRORS[code].status]);

export const DESCRIPTIONS: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'The body or query is missing or invalid; the message names the field.',
  unauthorized: 'The key is missing, unknown, revoked or expired.',
  plan_limit: 'The plan does not allow the operation, for example another application.',
  insufficient_funds: 'The wallet balance does not cover the price.',
  insufficient_credits: 'The AI credit balance is below R0.50, and no key is saved for the provider of the model.',
  forbidden:
    'The key may not be used here: it is a public key, it does not allow the origin, or its account is suspended. For a login: its role does not allow the operation.',
  insufficient_scope: 'The key lacks the scope that the operation requires.',
  not_found: 'The resource does not exist, or belongs to another account.',
  conflict: 'The request conflicts with the current state, or the `Idempotency-Key` was used for a different request.',
  rate_limited: 'Too many requests. Wait for the number of seconds in `Retry-After`.',
  server_error: 'A problem on our side or at a provider. It is safe to retry with backoff.',
};

const EXAMPLES: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'name: must have at least 2 characters',
  plan_limit: limitMessage('applications', 10),
  not_found: 'Application not found.',
  conflict: 'A deployment of this application is already in progress.',
  rate_limited: 'Too many requests: 120 in 60 seconds. Wait 17 s.',
};

const pascal = (code: ErrorCode) => code.replace(/(^|_)(\w)/g, (_, __, letter: string) => letter.toUpperCase());

/** Adds the response of a status to the components, and returns a reference to it. */
function failureOf(status: number, codes: readonly ErrorCode[], components: Components, headers: Json): Json {
  const name = codes.map(pascal).join('Or') + (status > 500 ? status : '');
  const examples = codes.map((code) => {
    const message = EXAMPLES[code] ?? ERRORS[code].message;
    return [code, { summary: DESCRIPTIONS[code], value: errorBody({ message, code, status }) }] as const;
  });
  components.responses[name] ??= {
    description: codes.map((code) => `\`${code}\`: ${DESCRIPTIONS[code]}`).join('\n\n'),
    headers: {
      ...headers,
      ...(status === 429 || status === 503 ? { 'Retry-After': { $ref: '#/components/headers/Retry-After' } } : {}),
    },
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' }, examples: Object.fromEntries(examples) },
    },
  };
  return { $ref: `#/components/responses/${name}` };
}

/** Returns the error responses of an operation by status. */
export function buildFailures(route: Route, components: Components, headers: Json): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorsOf(route)) {
    for (const status of statusesOf(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [String(status), failureOf(status, codes, components, headers)]),
  );
}

/** The schema of the body of every failed request. */
export const ERROR_SCHEMA = {
  type: 'object',
  description: 'The body of every failed request: exactly these fields.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'code', 'status'],
      properties: {
        message: { type: 'string', description: 'The reason for the failure, and what to do next' },
        code: { type: 'string', enum: Object.keys(ERRORS) },
        status: { type: 'integer', description: 'The HTTP status of the response' },
      },
    },
  },
};
