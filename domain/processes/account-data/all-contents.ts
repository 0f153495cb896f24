import { AiOffer } from '../../../table/entities/ai.ts';
import { LogPage } from '../../../table/entities/apps.ts';
import { AuditEntry, auditOf } from '../../../table/entities/audit.ts';
import { InvoiceSequence, PlanOffer } from '../../../table/entities/billing.ts';
import { Cell } from '../../../table/entities/cells.ts';
import { Checks } from '../../../table/entities/checks.ts';
import { HostingServer } from '../../../table/entities/hosting.ts';
import { FailedRequest, failedRequestsOf, Lookup, lookupsOf } from '../../../table/entities/lookups.ts';
import { MigrationRun } from '../../../table/entities/migrations.ts';
import { Quotas } from '../../../table/entities/quotas.ts';
import { DomainOffer } from '../../../table/entities/registrar.ts';
import { Sweep } from '../../../table/entities/sweeps.ts';
import { SwitchState } from '../../../table/entities/switches.ts';
import { viewAuditEntry } from '../../audit/log.ts';
import { ACCOUNT_CONTENTS, readAccount } from './contents/accounts.ts';
import { AI_CONTENTS } from './contents/ai.ts';
import { APP_CONTENTS } from './contents/apps.ts';
import { BILLING_CONTENTS } from './contents/billing.ts';
import { DEPLOYMENT_CONTENTS } from './contents/deployments.ts';
import { DOMAIN_CONTENTS } from './contents/domains.ts';
import { WEBHOOK_CONTENTS } from './contents/webhooks.ts';
import { type Contents, defineContents, defineUnread } from './contents.ts';
import { listReader, nestedReader, partitionReader } from './item-readers.ts';

/**
 * All entities that the platform stores, with their role in the export and the deletion of an account. The deletion processes this list in
 * reverse order, so an entity comes before the entities that are found through it. A test fails if an entity of `table/entities/` or one of
 * its fields is missing here (all-contents.test.ts).
 */
export const ALL_CONTENTS: readonly Contents[] = [
  ...ACCOUNT_CONTENTS,
  ...APP_CONTENTS,
  ...DEPLOYMENT_CONTENTS,
  ...DOMAIN_CONTENTS,
  ...BILLING_CONTENTS,
  ...WEBHOOK_CONTENTS,
  ...AI_CONTENTS,
  defineContents(
    AuditEntry,
    'expires',
    {
      file: 'audit-log',
      shows: ['id', 'action', 'subjectId', 'before', 'after', 'createdAt', 'actor', 'address', 'requestId'],
      omits: { accountId: 'elsewhere', reason: 'internal' },
      view: viewAuditEntry,
    },
    partitionReader(AuditEntry, auditOf),
  ),
  defineUnread(LogPage, 'expires', 'brief'),
  defineContents(
    FailedRequest,
    'removed',
    {
      file: 'failed-requests',
      shows: ['requestId', 'operation', 'status', 'code', 'message', 'at', 'by', 'address'],
      omits: { accountId: 'elsewhere' },
    },
    listReader(FailedRequest, failedRequestsOf),
  ),
  defineContents(
    Lookup,
    'removed',
    'elsewhere',
    nestedReader(readAccount, async function* (table, { id, email }, after) {
      // Only the lookup by email address is removed. The other texts are ids, which mean nothing without the account.
      if (after !== undefined) return;
      for (const item of await table.all(Lookup, lookupsOf(email))) if (item.accountId === id) yield ['1', item];
    }),
  ),
  ...[
    InvoiceSequence,
    PlanOffer,
    Checks,
    Cell,
    HostingServer,
    MigrationRun,
    DomainOffer,
    Quotas,
    SwitchState,
    Sweep,
    AiOffer,
  ].map((entity) => defineUnread(entity, 'stays', 'platform')),
];
