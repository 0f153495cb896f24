import * as z from 'zod/mini';
import { filteredList, Page } from '../envelope.ts';
import { route } from '../route.ts';
import { type AuditAction, isAuditAction } from './actions.ts';
import { AUDIT_ACTORS, AuditEntry } from './entry.ts';

const Action = () =>
  z.pipe(
    z.string().check(z.refine(isAuditAction, 'must be an action of the audit log')),
    z.transform((text) => text as AuditAction),
  );
const Filter = () =>
  z.extend(Page('aud'), {
    action: z.optional(Action().register(z.globalRegistry, { openApiOverride: { type: 'string' } })),
    actor: z.optional(z.enum(AUDIT_ACTORS)),
    /** The id of the changed resource, or of the key or login that changed it. */
    about: z.optional(z.string().check(z.minLength(1), z.maxLength(100))),
  });

export const listAuditEntries = /* @__PURE__ */ route({
  id: 'listAuditEntries',
  method: 'GET',
  path: '/dashboard/v1/audit',
  access: 'login',
  right: 'member',
  summary: 'List the changes to your account in the last year, newest first, each with its actor and origin',
  tag: 'Account',
  query: Filter,
  response: () => filteredList(AuditEntry()),
});
