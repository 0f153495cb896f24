import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { APP_LOG_DAYS } from '../../providers/app-host/logs.ts';
import { ENTITIES } from '../support/entities.ts';
import { read, synthesize } from './synthesized.ts';

const { template } = synthesize({ stage: 'prod' });
const DAY = 86_400;
const AT = '2026-01-31T00:00:00.000Z';

/** Times of docs/retention.md, by the name that the page gives them here. */
const documented = Object.fromEntries(
  [...readFileSync('docs/retention.md', 'utf8').matchAll(/^\|[^|]+\| (\d+) \|[^|]+\| `([^`]+)` \|$/gm)].map(
    ([, days, name]) => [name, Number(days)],
  ),
);

/** Returns the one value of a set, such as the retention that all log groups have. */
function common(values: readonly number[]): number {
  const [value, ...others] = new Set(values);
  expect(others).toEqual([]);
  return value ?? Number.NaN;
}

/** Days after which the table deletes an item of each entity that expires. */
const ofTable = () =>
  [...ENTITIES.values()].flatMap(({ type, expiresAtEpoch }) =>
    expiresAtEpoch
      ? [
          [
            `table ${type}`,
            (expiresAtEpoch({ createdAt: AT, created: AT, at: AT, seenAt: AT, day: AT.slice(0, 10) }) -
              Date.parse(AT) / 1000) /
              DAY,
          ],
        ]
      : [],
  );

const Lifecycle = z.object({
  LifecycleConfiguration: z
    .object({
      Rules: z.array(
        z.object({
          Prefix: z.string().optional(),
          ExpirationInDays: z.number().optional(),
          NoncurrentVersionExpiration: z.object({ NoncurrentDays: z.number() }).optional(),
        }),
      ),
    })
    .optional(),
});

const nameOf = (bucket: string) => `bucket ${bucket.replace(/^hosting-prod-|-\d{12}.*$/g, '')}`;

/** Days after which what was deleted or replaced is gone from each folder of a bucket that keeps versions. */
const ofVersions = () =>
  read(template, 'AWS::S3::Bucket', Lifecycle).flatMap(({ name, LifecycleConfiguration }) =>
    (LifecycleConfiguration?.Rules ?? []).flatMap(
      ({ Prefix = '', NoncurrentVersionExpiration: { NoncurrentDays: days = 0 } = {} }) =>
        days === 0 ? [] : [[`${nameOf(name)}/${Prefix.replace('/', '')}, deleted`, days]],
    ),
  );

const ofBuckets = () =>
  read(template, 'AWS::S3::Bucket', Lifecycle).flatMap(({ name, LifecycleConfiguration }) =>
    (LifecycleConfiguration?.Rules ?? []).flatMap(({ Prefix = '', ExpirationInDays: days }) =>
      days === undefined ? [] : [[`${nameOf(name)}/${Prefix.replace('/', '')}`, days]],
    ),
  );

test('docs/retention.md names every time after which something is deleted, and no other', () => {
  const logs = read(template, 'AWS::Logs::LogGroup', z.object({ RetentionInDays: z.number() }));
  const queues = read(template, 'AWS::SQS::Queue', z.object({ MessageRetentionPeriod: z.coerce.number() }));
  const Recovery = z.object({
    PointInTimeRecoveryEnabled: z.literal(true),
    // DynamoDB's own maximum, unless a table asks for less.
    RecoveryPeriodInDays: z.number().default(35),
  });
  const tables = read(
    template,
    'AWS::DynamoDB::GlobalTable',
    z.object({ Replicas: z.array(z.object({ PointInTimeRecoverySpecification: Recovery })) }),
  );
  const periods = tables.flatMap(({ Replicas }) =>
    Replicas.map(({ PointInTimeRecoverySpecification: { RecoveryPeriodInDays } }) => RecoveryPeriodInDays),
  );
  const actual = Object.fromEntries([
    ...ofTable(),
    ...ofBuckets(),
    ...ofVersions(),
    ['logs of applications', APP_LOG_DAYS],
    ['logs', common(logs.map(({ RetentionInDays }) => RetentionInDays))],
    ['queues', common(queues.map(({ MessageRetentionPeriod }) => MessageRetentionPeriod / DAY))],
    ['backup table', common(periods)],
  ]);
  expect(documented).toEqual(actual);
});

test('an upload that never completes leaves no parts behind: of an export they would be personal data', () => {
  const Rules = z.object({
    LifecycleConfiguration: z.object({
      Rules: z.array(
        z.object({
          Prefix: z.string().optional(),
          Status: z.literal('Enabled'),
          AbortIncompleteMultipartUpload: z.object({ DaysAfterInitiation: z.literal(1) }).optional(),
        }),
      ),
    }),
  });
  const builds = template.resources('AWS::S3::Bucket').find(({ name }) => name.startsWith('hosting-prod-builds-'));
  const { Rules: rules } = Rules.parse(builds?.properties).LifecycleConfiguration;
  expect(rules.some((rule) => rule.AbortIncompleteMultipartUpload && rule.Prefix === undefined)).toBe(true);
});
