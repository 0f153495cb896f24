import * as z from 'zod/mini';
import { list, Page, resource, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';
import { AUDIT_ACTORS, type AuditAction, isAuditAction } from './actions.ts';

const Values = () => z.nullable(z.record(z.string(), z.unknown()));

/** One change of an account, as it was made. Entries are never changed, and are deleted after a year. */
export const AuditEntry = resource('AuditEntry', () =>
  z.object({
    id: z.string(),
    action: z.string().register(z.globalRegistry, { examples: ['key.created'] }),
    actor: z.object({
      kind: z.enum(AUDIT_ACTORS),
      id: z
        .nullable(z.string())
        .register(z.globalRegistry, { description: 'The API key or login; null for the platform' }),
      name: z.nullable(z.string()).register(z.globalRegistry, { description: 'Email address of the login' }),
    }),
    subjectId: z.nullable(z.string()).register(z.globalRegistry, { description: 'The resource that was changed' }),
    before: Values().register(z.globalRegistry, { description: 'What it was before, without secrets' }),
    after: Values().register(z.globalRegistry, { description: 'What it was changed to, without secrets' }),
    address: z.nullable(z.string()).register(z.globalRegistry, { description: 'Address that the request came from' }),
    requestId: z.nullable(z.string()),
    createdAt: Timestamp(),
  }),
);

const Action = () =>
  z.pipe(
    z.string().check(z.refine(isAuditAction, 'must be an action of the audit log')),
    z.transform((text) => text as AuditAction),
  );
const Filter = () =>
  z.extend(Page(), {
    action: z.optional(Action().register(z.globalRegistry, { openApiOverride: { type: 'string' } })),
    actor: z.optional(z.enum(AUDIT_ACTORS)),
    /** The id of what was changed, or of the key or login that changed it. */
    about: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
  });

export const listAuditEntries = /* @__PURE__ */ route({
  id: 'listAuditEntries',
  method: 'GET',
  path: '/dashboard/v1/audit',
  access: 'login',
  right: 'member',
  summary: 'List the changes of your account, newest first: who, what, from where, for a year',
  tag: 'Account',
  query: Filter,
  response: () => list(AuditEntry()),
});
