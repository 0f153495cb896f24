import * as z from 'zod/mini';
import { Id, list, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';
import { OPERATOR_TAG } from './accounts.ts';
import { Reason } from './actions.ts';

/** Operator operations on hosting cells, the AWS accounts and regions in which applications run. */

const access = 'operator';

/** A hosting cell. */
const Cell = resource('Cell', () =>
  z.object({
    id: z.string(),
    open: z.boolean().register(z.globalRegistry, { description: 'True if the cell accepts new applications' }),
    room: z.nullable(z.int()).register(z.globalRegistry, {
      description: 'Number of further applications that fit, as last measured; null before the first measurement',
    }),
    measuredAt: z.nullable(Timestamp()),
    region: z.nullable(z.string()).register(z.globalRegistry, { description: 'Null for the platform’s own region' }),
  }),
);

export const listCells = /* @__PURE__ */ route({
  id: 'listCells',
  method: 'GET',
  path: '/operator/v1/cells',
  access,
  summary: 'List the hosting cells with their free capacity',
  tag: OPERATOR_TAG,
  response: () => list(Cell()),
});

export const moveApp = /* @__PURE__ */ route({
  id: 'moveApp',
  method: 'POST',
  path: '/operator/v1/accounts/{id}/apps/{applicationId}/move',
  access,
  audit: 'app.move-requested',
  summary: 'Move an application to another hosting cell; its host names stay, and no request is lost',
  tag: OPERATOR_TAG,
  params: () => z.extend(Id(), { applicationId: z.string().check(z.minLength(1), z.maxLength(64)) }),
  body: () => z.object({ ...Reason(), cell: z.string().check(z.minLength(1), z.maxLength(64)) }),
  status: 202,
  response: () => single(z.object({ id: z.string(), from: z.string(), to: z.string() })),
});
