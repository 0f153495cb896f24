import * as z from 'zod/mini';
import { describe, resource, Timestamp } from '../envelope.ts';

/** Actors of changes: an API key, a person who signed in, an operator of the platform, or the platform without a request. */
export const AUDIT_ACTORS = ['KEY', 'LOGIN', 'OPERATOR', 'PLATFORM'] as const;
export type AuditActor = (typeof AUDIT_ACTORS)[number];

const Values = () => z.nullable(z.record(z.string(), z.unknown()));

/** One change of an account, as it was made. Entries are never changed, and are deleted after a year. */
export const AuditEntry = resource('AuditEntry', () =>
  z.object({
    id: z.string(),
    action: z.string().register(z.globalRegistry, { examples: ['key.created'] }),
    actor: z.object({
      kind: z.enum(AUDIT_ACTORS),
      id: describe(z.nullable(z.string()), 'The API key or login; null for the platform'),
      name: describe(z.nullable(z.string()), 'Email address of the login'),
    }),
    subjectId: describe(z.nullable(z.string()), 'The resource that was changed'),
    before: describe(Values(), 'What it was before, without secrets'),
    after: describe(Values(), 'What it was changed to, without secrets'),
    address: describe(z.nullable(z.string()), 'Address that the request came from'),
    requestId: z.nullable(z.string()),
    createdAt: Timestamp(),
  }),
);
