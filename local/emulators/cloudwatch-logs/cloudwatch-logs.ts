import { join } from 'node:path';
import * as z from 'zod';
import { perAccount } from '../accounts.ts';
import { type LoggedLine, readAppLog, removeAppLog } from '../lambda/app-log.ts';
import { openRecords } from '../records.ts';
import { createThrottle, STRICT_TIMES } from '../strict.ts';
import {
  type Emulator,
  type EmulatorOptions,
  jsonOperations,
  parse,
  type RequestHandler,
  ServiceError,
  serve,
} from '../wire.ts';
import { GetQueryResults, openInsights, StartQuery } from './insights.ts';

const Group = z.object({ logGroupName: z.string().regex(/^[\w./#-]{1,512}$/) });
/** https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html */
const RETENTION_DAYS = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653,
];
const Retention = Group.extend({ retentionInDays: z.literal(RETENTION_DAYS) });
const Tags = z.record(z.string().min(1).max(128), z.string().max(256));
const Tagging = z.object({
  // The ARN format without the trailing `:*`.
  resourceArn: z.string().regex(/^arn:aws:logs:[\w-]+:\d{12}:log-group:[\w./#-]{1,512}$/),
  tags: Tags,
});
const Creation = Group.extend({ tags: Tags.optional() });
const Filter = Group.extend({
  startTime: z.number().int().min(0).default(0),
  endTime: z.number().int().min(0).optional(),
  limit: z.number().int().min(1).max(10_000).default(10_000),
  logStreamNamePrefix: z.string().max(512).default(''),
  nextToken: z.string().regex(/^\d+$/).default('0'),
});

/** Returns the name of a line's log stream, which Lambda forms from the day and the version. */
const streamOf = ({ timestamp, version }: LoggedLine) =>
  `${new Date(timestamp).toISOString().slice(0, 10).replaceAll('-', '/')}/[${version}]local`;

const functionOf = (group: string) => group.replace(/^\/aws\/lambda\//, '').replaceAll('/', '-');

/** Opens the log groups of one account. Each account has its own rate limits. */
function openGroups(dataDir: string, strict: boolean | undefined): RequestHandler {
  const LogGroup = z.object({ retentionInDays: z.number().optional(), tags: Tags.optional() });
  const records = openRecords(join(dataDir, 'log-groups'), LogGroup);
  const groups = records.value;
  const insights = openInsights(dataDir);
  const throttle = createThrottle(strict, () => new ServiceError('ThrottlingException', 'Rate exceeded'));
  const find = (name: string) => {
    const found = groups[name];
    if (!found) throw new ServiceError('ResourceNotFoundException', 'The specified log group does not exist.');
    return found;
  };
  /** The time at which the latest change of each group completes, in epoch milliseconds. */
  const changes = new Map<string, number>();
  const beginChange = (name: string): void => {
    if (strict) changes.set(name, Date.now() + STRICT_TIMES.logGroupChange);
  };
  /** Begins a change of a group. Throws while another change of the group is in progress. */
  const beginExclusiveChange = (name: string): void => {
    const message = 'A conflicting operation is currently in progress against this resource. Please try again.';
    if (Date.now() < (changes.get(name) ?? 0)) throw new ServiceError('OperationAbortedException', message);
    beginChange(name);
  };
  return jsonOperations({
    CreateLogGroup(body) {
      const { logGroupName, tags } = parse(Creation, body);
      beginExclusiveChange(logGroupName);
      if (groups[logGroupName]) {
        throw new ServiceError('ResourceAlreadyExistsException', 'The specified log group already exists');
      }
      groups[logGroupName] = tags ? { tags } : {};
      records.save(logGroupName);
      return {};
    },
    PutRetentionPolicy(body) {
      throttle('logsRetentionRate');
      const { logGroupName, retentionInDays } = parse(Retention, body);
      const group = find(logGroupName);
      beginExclusiveChange(logGroupName);
      group.retentionInDays = retentionInDays;
      records.save(logGroupName);
      return {};
    },
    TagResource(body) {
      throttle('logsTagRate');
      const { resourceArn, tags } = parse(Tagging, body);
      const logGroupName = resourceArn.split(':').at(-1) ?? '';
      const group = find(logGroupName);
      beginChange(logGroupName);
      group.tags = { ...group.tags, ...tags };
      records.save(logGroupName);
      return {};
    },
    DeleteLogGroup(body) {
      const { logGroupName } = parse(Group, body);
      find(logGroupName);
      beginExclusiveChange(logGroupName);
      delete groups[logGroupName];
      records.save(logGroupName);
      removeAppLog(dataDir, functionOf(logGroupName));
      return {};
    },
    StartQuery(body) {
      throttle('logsStartQueryRate');
      const query = parse(StartQuery, body);
      find(query.logGroupName);
      return { queryId: insights.start(functionOf(query.logGroupName), query) };
    },
    GetQueryResults(body) {
      throttle('logsQueryResultsRate');
      return { status: 'Complete', results: insights.results(parse(GetQueryResults, body).queryId) };
    },
    StopQuery(body) {
      insights.results(parse(GetQueryResults, body).queryId);
      throw new ServiceError('InvalidParameterException', 'The query has ended.');
    },
    FilterLogEvents(body) {
      throttle('logsFilterRate');
      const { logGroupName, startTime, endTime = Number.POSITIVE_INFINITY, ...page } = parse(Filter, body);
      const { limit, nextToken, logStreamNamePrefix } = page;
      find(logGroupName);
      const start = Number(nextToken);
      const matching = readAppLog(dataDir, functionOf(logGroupName)).filter(
        (line) =>
          line.timestamp >= startTime && line.timestamp <= endTime && streamOf(line).startsWith(logStreamNamePrefix),
      );
      const events = matching.slice(start, start + limit);
      return {
        events: events.map(({ version, ...event }) => ({
          ...event,
          logStreamName: streamOf({ version, ...event }),
          ingestionTime: event.timestamp,
        })),
        searchedLogStreams: [],
        ...(start + limit < matching.length ? { nextToken: String(start + limit) } : {}),
      };
    },
  });
}

/**
 * Starts an emulator of Amazon CloudWatch Logs for the log groups of hosted applications. The Lambda emulator writes their
 * lines.
 */
export async function startCloudWatchLogs(options: EmulatorOptions): Promise<Emulator> {
  const groups = perAccount(options, (_, directory) => openGroups(directory, options.strict));
  return await serve(options.port, 'application/x-amz-json-1.1', (request) => groups.of(request)(request));
}
