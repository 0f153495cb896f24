import * as z from 'zod/mini';
import { describe, Id, list, Moment, resource, Timestamp, wholeNumber } from '../envelope.ts';
import { route } from '../route.ts';

/** A line that a running application printed. */
const AppLogLine = resource('AppLogLine', () =>
  z.object({
    id: z.string(),
    at: Timestamp(),
    text: z.string(),
    requestId: describe(
      z.nullable(z.string()),
      'The request during which the line was printed; null if there was none',
    ),
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
    'Read the log of a running application: the last 24 hours, a given time range, or the lines after a known line',
  tag: 'Applications',
  params: Id,
  query: () =>
    z.object({
      after: z.optional(LineId()),
      from: z.optional(Moment('Start of the time range. Default: 24 hours ago')),
      to: z.optional(Moment('End of the time range. Without it, you can poll for new lines with `after`.')),
      limit: wholeNumber('Maximum number of items to return', 1, 1000, 500),
    }),
  response: () => list(AppLogLine()),
  uses: ['app-logs'],
});
