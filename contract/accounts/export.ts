import * as z from 'zod/mini';
import { describe, Id, list, Page, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';

/** States of an export: queued, being written, ready for download, expired, failed. */
export const EXPORT_STATUSES = ['QUEUED', 'RUNNING', 'READY', 'EXPIRED', 'FAILED'] as const;

/** The number of days for which an archive can be downloaded. */
export const EXPORT_DAYS = 7;

/** A copy of all data of an account, as a ZIP archive of JSON files and invoices. */
const AccountExport = resource('AccountExport', () =>
  z.object({
    id: z.string(),
    status: z.enum(EXPORT_STATUSES),
    sizeBytes: describe(z.nullable(z.int()), 'Size of the archive; while it is being written, the size so far'),
    createdAt: Timestamp(),
    finishedAt: z.nullable(Timestamp()),
    expiresAt: describe(z.nullable(Timestamp()), 'When the archive expires; it can be downloaded until then'),
  }),
);

export const startExport = /* @__PURE__ */ route({
  id: 'startExport',
  method: 'POST',
  path: '/dashboard/v1/account/export',
  access: 'login',
  right: 'manage',
  audit: 'account.export-started',
  summary: 'Start an export of all data of your account',
  tag: 'Account',
  status: 202,
  whileClosing: true,
  response: () => single(AccountExport()),
});

export const listExports = /* @__PURE__ */ route({
  id: 'listExports',
  method: 'GET',
  path: '/dashboard/v1/account/export',
  access: 'login',
  right: 'manage',
  summary: 'List the exports of your account, newest first',
  tag: 'Account',
  query: () => Page('exp'),
  response: () => list(AccountExport()),
});

export const createExportLink = /* @__PURE__ */ route({
  id: 'createExportLink',
  method: 'POST',
  path: '/dashboard/v1/account/export/{id}/link',
  access: 'login',
  right: 'manage',
  audit: 'account.export-opened',
  summary: 'Create a link to the archive of an export, valid for 15 minutes without a login',
  tag: 'Account',
  params: Id,
  uses: ['export-links'],
  whileClosing: true,
  response: () => single(z.object({ id: z.string(), url: z.url(), expiresAt: Timestamp() })),
});
