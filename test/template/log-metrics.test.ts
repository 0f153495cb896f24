import { expect, test } from 'vitest';
import * as z from 'zod';
import { CELLS, synthesize } from './synthesized.ts';

const account = '123456789012';
const { stacks } = synthesize({ stage: 'prod', account, cells: CELLS });
/** Another installation in the account, whose builds are in its own region. */
const { stacks: others } = synthesize({ stage: 'prod2', account, buildRegion: 'af-south-1' });

const Policy = z.object({
  PolicyName: z.string(),
  PolicyType: z.literal('METRIC_EXTRACTION_POLICY'),
  PolicyDocument: z.literal('{"EmbeddedMetricFormat":{"Status":"Disabled"}}'),
  SelectionCriteria: z.templateLiteral(['LogGroupNamePrefix IN ', z.string()]),
});
const resourcesOf = (type: string, of = stacks) =>
  of.flatMap(({ stackName, region, template }) =>
    Object.values(template.Resources).flatMap(({ Type, Properties = {} }) =>
      Type === type ? [{ stackName, region, Properties: Properties as Record<string, unknown> }] : [],
    ),
  );
const ignoredIn = (of: typeof stacks) =>
  resourcesOf('AWS::Logs::AccountPolicy', of).map(({ stackName, region, Properties }) => {
    const { SelectionCriteria } = Policy.parse(Properties);
    const prefixes = z.array(z.string()).parse(JSON.parse(SelectionCriteria.slice('LogGroupNamePrefix IN '.length)));
    return { stackName, region, prefixes };
  });
const ignored = ignoredIn(stacks);

test('CloudWatch extracts no metrics from the logs of applications, builds and anonymous clients', () => {
  expect(ignored).toEqual(
    expect.arrayContaining([
      {
        stackName: 'hosting-prod-app-hosting',
        region: 'af-south-1',
        prefixes: ['/aws/lambda/hosting-prod-app-', '/aws/vendedlogs/apis/hosting-prod/requests'],
      },
      expect.objectContaining({ prefixes: ['/aws/codebuild/hosting-prod-build-af-south-1'] }),
      ...CELLS.map(({ id, region = 'af-south-1' }) => ({
        stackName: `hosting-prod-cell-${id}-apps`,
        region,
        prefixes: [expect.stringMatching(/^\/aws\/lambda\/.+-app-$/)],
      })),
    ]),
  );
});

test('the logs of the platform’s own functions make metrics', () => {
  const names = resourcesOf('AWS::Logs::LogGroup')
    .map(({ Properties }) => String(Properties.LogGroupName))
    .filter((name) => name.startsWith('/aws/lambda/'));
  const silenced = names.filter((name) =>
    ignored.some(({ prefixes }) => prefixes.some((prefix) => name.startsWith(prefix))),
  );
  expect(names.length).toBeGreaterThan(100);
  expect(silenced).toEqual([]);
});

test('an installation has one policy in a region: CloudWatch takes five of an account', () => {
  expect(ignoredIn(others)).toEqual([
    {
      stackName: 'hosting-prod2-app-hosting',
      region: 'af-south-1',
      prefixes: [
        '/aws/lambda/hosting-prod2-app-',
        '/aws/vendedlogs/apis/hosting-prod2/requests',
        '/aws/codebuild/hosting-prod2-build-af-south-1',
      ],
    },
  ]);
});

test('no two policies select the same log, those of another stage either: CloudWatch would refuse the second', () => {
  const all = [...ignored, ...ignoredIn(others)].flatMap(({ prefixes }) => prefixes);
  const overlaps = all.flatMap((a, at) => all.filter((b, other) => other !== at && b.startsWith(a)).map((b) => [a, b]));
  expect(all.length).toBeGreaterThan(5);
  expect(overlaps).toEqual([]);
});
