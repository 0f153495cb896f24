import * as z from 'zod/mini';
import { Id, single } from '../envelope.ts';
import { route } from '../route.ts';

/** Limits for the variables of an application. */
export const ENV_LIMITS = { count: 100, keyLength: 128, valueBytes: 4096, totalBytes: 32 * 1024 } as const;

/** Names of variables that the platform or the Lambda runtime sets. */
const RESERVED = /^(PORT|(AWS|LAMBDA)_.*|_HANDLER|_X_AMZN_TRACE_ID)$/;

const bytes = (text: string) => new TextEncoder().encode(text).length;

const KEY = /^[A-Za-z_][A-Za-z0-9_]*$/;

const Variable = () =>
  z.object({
    key: z.string().check(
      z.maxLength(ENV_LIMITS.keyLength),
      z.regex(KEY, 'must be letters, digits and _, not beginning with a digit'),
      z.refine((key) => !RESERVED.test(key), 'is reserved for the platform'),
    ),
    value: z.string().check(
      z.refine((value) => bytes(value) <= ENV_LIMITS.valueBytes, `must be at most ${ENV_LIMITS.valueBytes} bytes`),
      z.refine((value) => !value.includes('\0'), 'must not contain a NUL character'),
    ),
  });

/** Returns the total size in bytes of the names and values of variables. */
export const envBytes = (vars: readonly { key: string; value: string }[]): number =>
  vars.reduce((sum, { key, value }) => sum + bytes(key) + bytes(value), 0);

/** The predicate of the message for variables that are too large. */
export const ENV_TOO_LARGE = `must be at most ${ENV_LIMITS.totalBytes} bytes in total`;

const Variables = () =>
  z.array(Variable()).check(
    z.maxLength(ENV_LIMITS.count),
    z.refine((vars) => envBytes(vars) <= ENV_LIMITS.totalBytes, ENV_TOO_LARGE),
    z.superRefine((vars, context) => {
      const seen = new Set<string>();
      for (const [index, { key }] of vars.entries()) {
        if (seen.has(key))
          context.addIssue({ code: 'custom', path: [index, 'key'], message: `${key} is given twice`, input: key });
        seen.add(key);
      }
    }),
  );

const ReplaceEnv = () => z.object({ vars: Variables() });

const UpdateEnv = () =>
  z.object({
    set: z.optional(Variables()),
    /** Any names are accepted, so that a name that has become reserved can be removed. */
    remove: z.optional(
      z.array(z.string().check(z.minLength(1), z.maxLength(ENV_LIMITS.keyLength))).check(z.maxLength(ENV_LIMITS.count)),
    ),
  });

export const replaceEnv = /* @__PURE__ */ route({
  id: 'replaceEnv',
  method: 'PUT',
  path: '/v1/apps/{id}/env',
  access: 'write',
  right: 'develop',
  audit: 'variables.replaced',
  summary: 'Replace the full set of environment variables; an empty value keeps the stored one',
  tag: 'Applications',
  params: Id,
  body: ReplaceEnv,
  response: () => single(z.object({ keys: z.array(z.string()) })),
  uses: ['secrets'],
});

export const updateEnv = /* @__PURE__ */ route({
  id: 'updateEnv',
  method: 'PATCH',
  path: '/v1/apps/{id}/env',
  access: 'write',
  right: 'develop',
  audit: 'variables.updated',
  summary: 'Set and remove individual environment variables; all others stay unchanged',
  tag: 'Applications',
  params: Id,
  body: UpdateEnv,
  response: () => single(z.object({ keys: z.array(z.string()) })),
  uses: ['secrets'],
});

export const listEnvKeys = /* @__PURE__ */ route({
  id: 'listEnvKeys',
  method: 'GET',
  path: '/v1/apps/{id}/env',
  access: 'read',
  right: 'member',
  summary: 'List the names of the environment variables; values are never returned',
  tag: 'Applications',
  params: Id,
  response: () => single(z.object({ keys: z.array(z.string()) })),
});
