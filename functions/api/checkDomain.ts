import { checkDomain as route } from '../../contract/registrar/catalogue.ts';
import { checkDomain } from '../../domain/registrar/catalogue.ts';
import { batchDeps } from '../../runtime/batch-deps.ts';
import { registrar } from '../../runtime/bindings/registrar.ts';
import { endpoint } from '../../runtime/endpoint.ts';
import { extensions } from '../../runtime/extensions.ts';

/** GET /v1/domains/check. The names that we hold are looked up all at once. */
export const handler = endpoint(route, checkDomain, { table: batchDeps.table, registrar, extensions });
