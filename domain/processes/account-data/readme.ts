import type { ExportId } from '../../../providers/exports/exports.ts';
import type { Deps } from '../../deps.ts';

/** Returns the text of the archive's README.txt. */
export const readme = (
  { settings }: Pick<Deps, 'settings'>,
  { accountId, createdAt }: ExportId,
): string => `Export of the account ${accountId} at ${settings.publicUrl}
Started ${createdAt} (UTC). Changes during the export may or may not be included.

Contents
  Each folder contains one kind of data in JSON files, each with a list of items. Most field names are those of the API reference
  (${settings.publicUrl}/docs). Times are in UTC. Fields whose names end in Cents are hundredths of a rand, MicroRand millionths.
  account, logins, members, api-keys, audit-log,
  failed-requests, exports, deletion                       your account, its users and their actions
  applications, variables, deploy-keys, deployments,
  custom-domains, databases                                 what you host
  domains, dns-zones, dns-records                           your domains and their records
  subscriptions, hosting-accounts                           web and email hosting
  wallet-transactions, invoices                             money; invoices also contains each invoice as a PDF
  webhooks, events, deliveries, delivery-attempts           notifications that were sent
  ai-account, ai-credit-entries, ai-requests, ai-usage      the AI gateway, without the texts of calls
  Folders without data are omitted.

Not included
  Secrets: secret keys, the values of variables, private deploy keys, signing secrets, saved cards and provider keys.
  You already have them, and an archive may fall into other hands.
  Your source code, which is in your Git repository, and the packages that builds created from it.
  The contents of databases. Export them with pg_dump or COPY and a password from
  POST ${settings.publicUrl}/v1/databases/{id}/password (${settings.publicUrl}/docs).
  Files and mailboxes of web hosting. Create backups of them in your hosting panel.
  Logs of builds and of running applications. Read them before they expire:
  GET ${settings.publicUrl}/v1/deployments/{id}/log and GET ${settings.publicUrl}/v1/apps/{id}/logs.
`;
