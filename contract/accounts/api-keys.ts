import * as z from 'zod/mini';
import {
  Amount,
  Deleted,
  describe,
  Id,
  list,
  Moment,
  Money,
  oneLine,
  Page,
  resource,
  single,
  Timestamp,
} from '../envelope.ts';
import { route, SCOPES } from '../route.ts';

/** Origins that one public key may be used from. */
const MAX_ORIGINS = 50;

/** `*`, or an origin exactly as browsers send it: scheme, host and port, and nothing after. */
const isOrigin = (text: string) =>
  text === '*' || (/^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text);
const Origin = () =>
  z
    .string()
    .check(
      z.maxLength(300),
      z.refine(isOrigin, 'must be * or an origin such as https://www.example.com, without a path'),
    );

/** A key as its account sees it (design, section 5); its secret half is never shown again. */
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
    /** The last four characters of the secret half; null for keys from before they were kept. */
    lastFour: z.nullable(z.string()),
    createdBy: describe(
      z.nullable(z.string()),
      'Email address of the member who created it; null where it is not known',
    ),
    /** Budget for AI credits in a calendar month (UTC); null for any amount. */
    aiBudget: z.nullable(Money()),
    /** AI credits that the key has spent in this month. */
    aiSpent: Money(),
    createdAt: Timestamp(),
  }),
);

const NewApiKey = resource('NewApiKey', () => z.extend(ApiKey(), { secretKey: z.string() }));

const Name = () => z.string().check(...oneLine(), z.trim(), z.minLength(1), z.maxLength(60));
const AiBudget = () => z.nullable(Amount(1, 1_000_000));

const CreateKey = () =>
  z.object({
    name: Name(),
    scopes: z.pipe(
      z.array(z.enum(SCOPES)).check(z.minLength(1)),
      z.transform((scopes) => SCOPES.filter((scope) => scopes.includes(scope))),
    ),
    allowedOrigins: z._default(z.array(Origin()).check(z.minLength(1), z.maxLength(MAX_ORIGINS)), ['*']),
    expiresAt: z._default(z.nullable(Moment('Time from which it is refused')), null),
    aiBudget: z._default(AiBudget(), null),
  });

const UpdateKey = () => z.object({ name: z.optional(Name()), aiBudget: z.optional(AiBudget()) });

/** Share of its budget for AI credits from which on a key is announced and shown as near it. */
export const NEAR_BUDGET = 0.8;

const tag = 'Developers';

export const listKeys = /* @__PURE__ */ route({
  id: 'listKeys',
  method: 'GET',
  path: '/dashboard/v1/keys',
  access: 'login',
  right: 'member',
  summary: 'List your API keys, newest first; revoked ones stay on the list',
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
  summary: 'Create an API key; the answer holds its secret half, once',
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
  summary: 'Change the name of an API key or its monthly budget for AI credits',
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
  summary: 'Revoke an API key: both halves stop working at once',
  tag,
  params: Id,
  response: Deleted,
});
