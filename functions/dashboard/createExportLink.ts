import { createExportLink as route } from '../../contract/accounts/export.ts';
import { createExportLink } from '../../domain/processes/account-data/exports.ts';
import { exportLinks } from '../../runtime/bindings/export-links.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** POST /dashboard/v1/account/export/{id}/link */
export const handler = endpoint(route, createExportLink, { exportLinks });
