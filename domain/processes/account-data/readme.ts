import type { ExportId } from '../../../providers/exports/exports.ts';
import type { Deps } from '../../deps.ts';

/** Returns what the archive says about itself, in plain words. */
export const readme = (
  { settings }: Pick<Deps, 'settings'>,
  { accountId, createdAt }: ExportId,
): string => `Export of the account ${accountId} at ${settings.publicUrl}
Started ${createdAt} (UTC). What changed while it was made may be in it or not.

What is in it
  Each folder holds one kind of data, as files of JSON: lists of items. Most are named as in the API reference
  (${settings.publicUrl}/docs). Times are UTC. Names that end in Cents are hundredths of a rand, MicroRand millionths.
  account, logins, members, api-keys, audit-log,
  failed-requests, exports, deletion                       your account and who did what in it
  applications, variables, deploy-keys, deployments,
  custom-domains, databases                                 what you host
  domains, dns-zones, dns-records                           your domains and their records
  subscriptions, hosting-accounts                           web and email hosting
  wallet-transactions, invoices                             money; invoices also holds each invoice as PDF
  webhooks, events, deliveries, delivery-attempts           notifications that were sent
  ai-account, ai-credit-entries, ai-requests, ai-usage      the AI gateway, never any text of a call
  A folder without data is left out.

What is not in it
  Secrets: secret keys, the values of variables, private deploy keys, signing secrets, saved cards and provider keys.
  They are yours already, and an archive may fall into other hands.
  Your source code, which is in your Git repository, and the packages that builds made of it.
  The content of databases. Take it with pg_dump or COPY and a password from
  POST ${settings.publicUrl}/v1/databases/{id}/password (${settings.publicUrl}/docs).
  Files and mailboxes of web hosting. Your hosting panel makes backups of them.
  Logs of builds and of running applications. Read them while they are kept:
  GET ${settings.publicUrl}/v1/deployments/{id}/log and GET ${settings.publicUrl}/v1/apps/{id}/logs.
`;
