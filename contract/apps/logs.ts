import * as z from 'zod/mini';
import { describe, Id, list, Moment, resource, Timestamp, wholeNumber } from '../envelope.ts';
import { route } from '../route.ts';

/** A line that an application printed while it ran. */
const AppLogLine = resource('AppLogLine', () =>
  z.object({
    id: z.string(),
    at: Timestamp(),
    text: z.string(),
    requestId: describe(z.nullable(z.string()), 'The request in whose course the line was printed; null for others'),
  }),
);

const LineId = () => z.string().check(z.regex(/^\d{1,15}-\w{1,64}$/, 'must be the id of a line'));

export const readAppLogs = /* @__PURE__ */ route({
  id: 'readAppLogs',
  method: 'GET',
  path: '/v1/apps/{id}/logs',
  access: 'read',
  right: 'member',
  summary:
    'Read what an application prints while it runs: of the last 24 hours, of a given time, or after a line that is known',
  tag: 'Applications',
  params: Id,
  query: () =>
    z.object({
      after: z.optional(LineId()),
      from: z.optional(Moment('Begin of the time to read; by default 24 hours ago')),
      to: z.optional(Moment('End of the time to read; without it, lines are read as they come')),
      limit: wholeNumber('Maximum number of items to return', 1, 1000, 500),
    }),
  response: () => list(AppLogLine()),
  uses: ['app-logs'],
});
