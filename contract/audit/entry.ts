import * as z from 'zod/mini';
import { describe, resource, Timestamp } from '../envelope.ts';

/** Actors of changes: an API key, a login, an operator of the platform, or the platform itself, without a request. */
export const AUDIT_ACTORS = ['KEY', 'LOGIN', 'OPERATOR', 'PLATFORM'] as const;
export type AuditActor = (typeof AUDIT_ACTORS)[number];

const Values = () => z.nullable(z.record(z.string(), z.unknown()));

/** A change to an account. Entries are immutable, and deleted after a year. */
export const AuditEntry = resource('AuditEntry', () =>
  z.object({
    id: z.string(),
    action: z.string().register(z.globalRegistry, { examples: ['key.created'] }),
    actor: z.object({
      kind: z.enum(AUDIT_ACTORS),
      id: describe(z.nullable(z.string()), 'The id of the API key or login; null for the platform'),
      name: describe(z.nullable(z.string()), 'Email address of the login'),
    }),
    subjectId: describe(z.nullable(z.string()), 'The id of the changed resource'),
    before: describe(Values(), 'The values before the change, without secrets'),
    after: describe(Values(), 'The values after the change, without secrets'),
    address: describe(z.nullable(z.string()), 'IP address that sent the request'),
    requestId: z.nullable(z.string()),
    createdAt: Timestamp(),
  }),
);
