import * as z from 'zod/mini';
import { Id, list, resource, single, Timestamp } from '../envelope.ts';
import { route } from '../route.ts';
import { OPERATOR_TAG } from './accounts.ts';
import { Reason } from './acts.ts';

/** Operations of operators on hosting cells, the AWS accounts and regions in which applications run. */

const access = 'operator';

/** A hosting cell. */
export const Cell = resource('Cell', () =>
  z.object({
    id: z.string(),
    open: z.boolean().register(z.globalRegistry, { description: 'True if new applications may be placed in it' }),
    room: z.nullable(z.int()).register(z.globalRegistry, {
      description: 'Applications for which there was room at the last measurement; null before the first',
    }),
    measuredAt: z.nullable(Timestamp()),
    region: z.nullable(z.string()).register(z.globalRegistry, { description: 'Null for the platform’s own' }),
  }),
);

export const listCells = /* @__PURE__ */ route({
  id: 'listCells',
  method: 'GET',
  path: '/operator/v1/cells',
  access,
  summary: 'List the hosting cells with their room',
  tag: OPERATOR_TAG,
  response: () => list(Cell()),
});

export const moveApp = /* @__PURE__ */ route({
  id: 'moveApp',
  method: 'POST',
  path: '/operator/v1/accounts/{id}/apps/{applicationId}/move',
  access,
  audit: 'app.move-requested',
  summary: 'Move an application to another hosting cell: its names stay, and no request is lost',
  tag: OPERATOR_TAG,
  params: () => z.extend(Id(), { applicationId: z.string().check(z.minLength(1), z.maxLength(64)) }),
  body: () => z.object({ ...Reason(), cell: z.string().check(z.minLength(1), z.maxLength(64)) }),
  status: 202,
  response: () => single(z.object({ id: z.string(), from: z.string(), to: z.string() })),
});
