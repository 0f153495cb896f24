import * as z from 'zod';
import { Id, one } from './envelope.ts';
import { route } from './route.ts';

/** Limits of an application's variables (design, Applications). */
export const ENV_LIMITS = { count: 100, keyLength: 128, valueBytes: 4096, totalBytes: 32 * 1024 } as const;

/** Names that the platform or the Lambda runtime sets itself. */
const RESERVED = /^(PORT|(AWS|LAMBDA)_.*|_HANDLER|_X_AMZN_TRACE_ID)$/;

const bytes = (text: string) => new TextEncoder().encode(text).length;

const Variable = z.object({
  key: z
    .string()
    .max(ENV_LIMITS.keyLength)
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be letters, digits and _, not beginning with a digit')
    .refine((key) => !RESERVED.test(key), 'is reserved for the platform'),
  value: z
    .string()
    .refine((value) => bytes(value) <= ENV_LIMITS.valueBytes, `must be at most ${ENV_LIMITS.valueBytes} bytes`)
    .refine((value) => !value.includes('\0'), 'must not contain a NUL character'),
});

const ReplaceEnv = z.object({
  vars: z
    .array(Variable)
    .max(ENV_LIMITS.count)
    .superRefine((vars, context) => {
      const seen = new Set<string>();
      for (const [index, { key }] of vars.entries()) {
        if (seen.has(key)) context.addIssue({ code: 'custom', path: [index, 'key'], message: 'is given twice' });
        seen.add(key);
      }
      const total = vars.reduce((sum, { key, value }) => sum + bytes(key) + bytes(value), 0);
      if (total > ENV_LIMITS.totalBytes) {
        context.addIssue({ code: 'custom', message: `must be at most ${ENV_LIMITS.totalBytes} bytes together` });
      }
    }),
});

export const replaceEnv = route({
  id: 'replaceEnv',
  method: 'PUT',
  path: '/v1/apps/{id}/env',
  access: 'write',
  summary: 'Replace the full set of environment variables; an empty value keeps the stored one',
  tag: 'Applications',
  params: Id,
  body: ReplaceEnv,
  response: one(z.object({ keys: z.array(z.string()) })),
  uses: ['secrets'],
});
