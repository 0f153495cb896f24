import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { commandsOf } from '../support/runbook.ts';
import { read, synthesize } from './synthesized.ts';

const Stage = z.object({ AccessLogSettings: z.object({ Format: z.string() }) });
/** Fields of every line of a function (runtime/observability/log.ts) and of CloudWatch itself. */
const OF_FUNCTIONS = ['@timestamp', 'level', 'message', 'function', 'requestId'];

/** Fields of the line of a call to an AI model (runtime/observability/chat-report.ts). */
const OF_AI_CALLS = [...OF_FUNCTIONS, 'accountId', 'model', 'CostMicroRand'];

/** Fields of the line of a measurement of databases (runtime/observability/database-metrics.ts). */
const OF_DATABASES = [...OF_FUNCTIONS, 'accountId', 'newUnits', 'mib'];

/** Returns the fields that a query of Logs Insights names. */
const fieldsOf = (query: string): string[] =>
  query.split(' | ').flatMap((part) => {
    const [command = '', ...words] = part.split(' ');
    if (command === 'filter' || command === 'sort') return words.slice(0, 1);
    const names = words.join(' ').replaceAll(/\w+\((\*|\w+)[^)]*\)/g, '$1');
    return names.split(/,\s*| by /).filter((name) => name !== '*');
  });

test('the queries of the runbook name fields that the logs have', () => {
  const { template } = synthesize({ stage: 'prod' });
  const [stage] = read(template, 'AWS::ApiGatewayV2::Stage', Stage);
  const ofRequests = Object.keys(JSON.parse(stage?.AccessLogSettings.Format ?? '{}'));
  const queries = commandsOf(readFileSync('docs/runbook.md', 'utf8')).filter((each) => /^(filter|stats) /.test(each));
  expect(queries.length).toBeGreaterThanOrEqual(3);
  for (const query of queries) {
    const ofFunctions = query.includes('newUnits') ? OF_DATABASES : OF_AI_CALLS;
    const counted = /CostMicroRand|newUnits/.test(query) ? ofFunctions : ofRequests;
    const known = query.includes('stats ') ? counted : OF_FUNCTIONS;
    expect(known, query).toEqual(expect.arrayContaining(fieldsOf(query)));
  }
  expect(fieldsOf('filter status >= 500 | stats count(*), pct(ms, 99) by route, status')).toEqual([
    'status',
    'ms',
    'route',
    'status',
  ]);
});
