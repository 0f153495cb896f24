import * as z from 'zod/mini';
import {
  Amount,
  Deleted,
  describe,
  Id,
  line,
  list,
  Moment,
  Money,
  Page,
  resource,
  single,
  Timestamp,
} from '../envelope.ts';
import { route, SCOPES } from '../route.ts';

/** The maximum number of origins that may use one public key. */
const MAX_ORIGINS = 50;

/** Returns true for `*`, and for an origin exactly as browsers send it: scheme, host and port, without a path. */
const isOrigin = (text: string) =>
  text === '*' || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text);
const Origin = () =>
  z
    .string()
    .check(
      z.maxLength(300),
      z.refine(isOrigin, 'must be * or an origin such as https://www.example.com, without a path'),
    );

/** An API key as its account sees it. The secret half is not part of it. */
export const ApiKey = resource('ApiKey', () =>
  z.object({
    id: z.string(),
    name: z.string(),
    scopes: z.array(z.enum(SCOPES)),
    /** Origins that may use the public half. */
    allowedOrigins: z.array(z.string()),
    expiresAt: z.nullable(Timestamp()),
    lastUsedAt: z.nullable(Timestamp()),
    revokedAt: z.nullable(Timestamp()),
    publicKey: z.string(),
    /** The last four characters of the secret half; null for keys that were created before they were stored. */
    lastFour: z.nullable(z.string()),
    createdBy: describe(z.nullable(z.string()), 'Email address of the member who created the key; null if unknown'),
    /** Budget for AI credits per calendar month (UTC); null for no limit. */
    aiBudget: z.nullable(Money()),
    /** AI credits that the key has spent in the current month. */
    aiSpent: Money(),
    createdAt: Timestamp(),
  }),
);

const NewApiKey = resource('NewApiKey', () => z.extend(ApiKey(), { secretKey: z.string() }));

const Name = () => line(60);
const AiBudget = () => z.nullable(Amount(1, 1_000_000));

/** The number of entries that a list of scopes may have in a request. Repeated ones count once. */
const MAX_SCOPES = 100;

const CreateKey = () =>
  z.object({
    name: Name(),
    scopes: z.pipe(
      z.array(z.enum(SCOPES)).check(z.minLength(1), z.maxLength(MAX_SCOPES)),
      z.transform((scopes) => SCOPES.filter((scope) => scopes.includes(scope))),
    ),
    allowedOrigins: z._default(z.array(Origin()).check(z.minLength(1), z.maxLength(MAX_ORIGINS)), ['*']),
    expiresAt: z._default(z.nullable(Moment('When the key expires; null if it never expires')), null),
    aiBudget: z._default(AiBudget(), null),
  });

const UpdateKey = () => z.object({ name: z.optional(Name()), aiBudget: z.optional(AiBudget()) });

/** The share of its AI budget at which a key is reported as near its limit. */
export const NEAR_BUDGET = 0.8;

const tag = 'Developers';

export const listKeys = /* @__PURE__ */ route({
  id: 'listKeys',
  method: 'GET',
  path: '/dashboard/v1/keys',
  access: 'login',
  right: 'member',
  summary: 'List your API keys, newest first, including revoked keys',
  tag,
  query: () => Page('key'),
  response: () => list(ApiKey()),
});

export const createKey = /* @__PURE__ */ route({
  id: 'createKey',
  method: 'POST',
  path: '/dashboard/v1/keys',
  access: 'login',
  right: 'develop',
  audit: 'key.created',
  summary: 'Create an API key. Only this response contains its secret key',
  tag,
  body: CreateKey,
  status: 201,
  response: () => single(NewApiKey()),
});

export const updateKey = /* @__PURE__ */ route({
  id: 'updateKey',
  method: 'PATCH',
  path: '/dashboard/v1/keys/{id}',
  access: 'login',
  right: 'develop',
  audit: 'key.updated',
  summary: 'Update the name or the monthly AI budget of an API key',
  tag,
  params: Id,
  body: UpdateKey,
  response: () => single(ApiKey()),
});

export const revokeKey = /* @__PURE__ */ route({
  id: 'revokeKey',
  method: 'DELETE',
  path: '/dashboard/v1/keys/{id}',
  access: 'login',
  right: 'develop',
  audit: 'key.revoked',
  whileClosing: true,
  summary: 'Revoke an API key: its secret and its public key stop working immediately',
  tag,
  params: Id,
  response: Deleted,
});
