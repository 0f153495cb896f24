import { checkDomain as route } from '../../contract/registrar/catalogue.ts';
import { checkDomain } from '../../domain/registrar/catalogue.ts';
import { batchDeps } from '../../runtime/batch-deps.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { tlds } from '../../runtime/bindings/tlds.ts';
import { endpoint } from '../../runtime/http/endpoint.ts';

/** GET /v1/domains/check. One batch read finds which of the names the platform already holds. */
export const handler = endpoint(route, checkDomain, { table: batchDeps.table, registrar, tlds });
