import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { Settings } from '../../lib/config.ts';
import { readInvocation } from '../../scripts/preflight/settings.ts';
import { commandsOf } from '../support/runbook.ts';
import { EXTENDED, synthesize } from './synthesized.ts';

/** Pages with commands for operators and contributors. Decisions and the changelog are history. */
const PAGES = globSync(['*.md', 'docs/*.md'], { exclude: ['CHANGELOG.md'] }).sort();
const { scripts, devDependencies } = z
  .object({ scripts: z.record(z.string(), z.string()), devDependencies: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync('package.json', 'utf8')));

const Installed = z.object({ bin: z.union([z.string(), z.record(z.string(), z.string())]).optional() });

interface AwsCommand {
  service: string;
  operation: string;
  text: string;
}

/** A command of the AWS command line, which may stand in another one's `$(…)`. */
const awsCommandsIn = (command: string): AwsCommand[] =>
  [...command.matchAll(/(?:^|\$\()aws ([a-z0-9-]+) ([a-z0-9-]+)(?![^ ]*…)[^\n]*/g)].map(
    ([text, service = '', operation = '']) => ({ text, service, operation }),
  );

/** Services without a region, or whose command only works on this machine. */
const WITHOUT_REGION = ['cloudfront', 'configure', 'iam', 'route53'];
/** Options of the command line itself. */
const GENERAL = ['region', 'output', 'query', 'profile', 'cli-binary-format'];
/** Service of the command line → SDK package, whose schemas have the operations and their members. */
const PACKAGES: Record<string, string> = {
  cloudfront: 'cloudfront',
  codebuild: 'codebuild',
  dsql: 'dsql',
  dynamodb: 'dynamodb',
  kms: 'kms',
  lambda: 'lambda',
  route53: 'route-53',
  route53domains: 'route-53-domains',
  sqs: 'sqs',
  stepfunctions: 'sfn',
};
/** Operations of services whose SDK package is not installed, and commands of the command line alone: read, and trusted. */
const TRUSTED: Record<string, string[]> = {
  account: ['enable-region', 'get-region-opt-status', 'list-regions'],
  acm: ['list-certificates'],
  backup: ['list-backup-jobs', 'list-recovery-points-by-backup-vault', 'start-restore-job', 'update-region-settings'],
  cloudformation: [
    'continue-update-rollback',
    'delete-stack',
    'describe-stacks',
    'list-types',
    'update-termination-protection',
  ],
  'cognito-idp': [
    'admin-add-user-to-group',
    'admin-remove-user-from-group',
    'admin-set-user-mfa-preference',
    'admin-user-global-sign-out',
    'delete-user-pool',
    'list-user-pools',
    'update-user-pool',
  ],
  configure: ['sso'],
  logs: ['tail'],
  s3: ['cp', 'rb', 'rm'],
  s3api: ['delete-objects', 'list-object-versions'],
  secretsmanager: ['get-random-password', 'get-secret-value', 'put-secret-value'],
  'service-quotas': ['request-service-quota-increase'],
  sesv2: ['create-email-identity', 'get-email-identity', 'put-account-details'],
  sso: ['login'],
  sts: ['get-caller-identity'],
};

/** A structure of the SDK's schemas: kind, namespace, name, traits, names of its members. */
const Structure = z.tuple([z.literal(3), z.string(), z.string(), z.unknown(), z.array(z.string())]).rest(z.unknown());
const Operation = z.tuple([z.literal(9), z.string(), z.string(), z.unknown(), z.unknown()]).rest(z.unknown());
const plain = (name: string): string => name.toLowerCase().replaceAll('-', '');

/** Returns the members of an operation's input; undefined where the SDK does not have the operation. */
async function membersOf(service: string, operation: string): Promise<string[] | undefined> {
  const sdk: Record<string, unknown> = await import(`@aws-sdk/client-${PACKAGES[service]}`);
  const name = Object.keys(sdk).find((each) => each.toLowerCase() === `${plain(operation)}command`);
  const Command = name === undefined ? undefined : sdk[name];
  if (typeof Command !== 'function') return undefined;
  const [, , , , input] = Operation.parse(Reflect.construct(Command, [{}]).schema);
  return Structure.parse(typeof input === 'function' ? input() : input)[4];
}

/** Returns what is wrong with a command; undefined if nothing is. */
async function problemOf({ service, operation, text }: AwsCommand): Promise<string | undefined> {
  const options = [...text.matchAll(/ --([a-z0-9-]+)/g)].map(([, option = '']) => option);
  if (!WITHOUT_REGION.includes(service) && service !== 'sso' && !options.includes('region')) return 'has no --region';
  // Of the command line alone.
  if (operation === 'wait') return undefined;
  if (operation === 'update-table' && options.includes('stream-specification') && options.length > 3)
    return 'changes more than the stream, which AWS changes alone';
  if (!PACKAGES[service]) return TRUSTED[service]?.includes(operation) ? undefined : 'is no known operation';
  const members = await membersOf(service, operation);
  if (!members) return 'is no operation of the service';
  const known = [...members, ...members.map((member) => `no${member}`), ...GENERAL].map(plain);
  const unknown = options.filter((option) => !known.includes(plain(option)));
  return unknown.length > 0 ? `has no option ${unknown.join(', ')}` : undefined;
}

const problemsOf = async (commands: AwsCommand[]): Promise<string[]> =>
  (await Promise.all(commands.map(async (each) => ({ each, problem: await problemOf(each) })))).flatMap(
    ({ each, problem }) => (problem ? [`${each.text}: ${problem}`] : []),
  );

/** Subcommands of cdk that the pages use. */
const CDK = ['bootstrap', 'deploy', 'destroy', 'diff', 'import', 'synth'];
const { stacks, template } = synthesize({ stage: 'prod', ...EXTENDED });
const stackNames = stacks.map(({ stackName }) => stackName);

function problemOfTool(command: string): string | undefined {
  const [, script] = /^npm run ([\w:-]+)/.exec(command) ?? [];
  if (script && !scripts[script]) return 'is no script of package.json';
  const [, subcommand = '', rest = ''] = /^npx cdk (\w+)(.*)/.exec(command) ?? [];
  if (subcommand && !CDK.includes(subcommand)) return 'is no command of cdk';
  const [, source = ''] = /^(?:\S+=\S+ )*node (\S+\.ts)\b/.exec(command) ?? [];
  if (existsSync(source)) return 'needs the Node of the project: npx node';
  const stack = /^ hosting-(?:<stage>|prod)-(\w[\w-]*)/.exec(rest)?.[1];
  if (stack && !stackNames.includes(`hosting-prod-${stack}`)) return 'names no stack';
  const unknown = [...command.matchAll(/(?<= )-c (\w+)=/g)].find(([, name = '']) => !(name in Settings.shape));
  if (unknown) return `${unknown[1]} is no setting`;
  if (script === 'preflight' && command.includes(' -- ')) {
    try {
      readInvocation((command.split(' -- ')[1] ?? '').replace(' …', '').split(' '));
    } catch (error) {
      return String(error);
    }
  }
  return undefined;
}

/** Programs that `npm ci` does not install (docs/decisions/0079): npx fetches any package of that name in their place. */
const ADDED_BY_SETUP = new Set(
  Object.keys(devDependencies).flatMap((name) => {
    const { bin = {} } = Installed.parse(JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')));
    return typeof bin === 'string' ? [name.replace(/^@.*\//, '')] : Object.keys(bin);
  }),
);
const setsUp = (command: string): boolean =>
  [...command.matchAll(/npm (?:run )?([\w:-]+)/g)].some(
    ([, script = '']) => script === 'setup' || scripts[script]?.startsWith('scripts/setup '),
  );

/** Returns the commands of a section that need the set-up, and are not behind one. */
function withoutSetup(section: string): string[] {
  const commands = commandsOf(section);
  const isAdded = (command: string) =>
    [...command.matchAll(/\bnpx ([\w@/.-]+)/g)].some(([, program = '']) => ADDED_BY_SETUP.has(program));
  return commands.filter((command, at) => isAdded(command) && !commands.slice(0, at + 1).some(setsUp));
}

describe.each(PAGES)('%s', (page) => {
  const commands = commandsOf(readFileSync(page, 'utf8'));

  test('sets up, in each section, what npx runs and npm ci does not install', () => {
    const sections = readFileSync(page, 'utf8').split(/^## /m);
    expect(sections.flatMap(withoutSetup)).toEqual([]);
  });

  test('has commands of AWS that exist, with their region', async () => {
    expect(await problemsOf(commands.flatMap(awsCommandsIn))).toEqual([]);
  });

  test('has scripts, stacks and settings that exist', () => {
    const problems = commands.map((command) => ({ command, problem: problemOfTool(command) }));
    expect(problems.filter(({ problem }) => problem)).toEqual([]);
  });
});

test('the removal names every resource with data that outlives its stack', () => {
  const [, section = ''] = readFileSync('docs/deploying.md', 'utf8').split('## Removing everything');
  const removal = section.replaceAll(/\\\n\s*/g, '');
  const kept = ['AWS::S3::Bucket', 'AWS::DynamoDB::GlobalTable'].flatMap((type) => template.resources(type));
  expect(kept).toHaveLength(5);
  for (const { name } of kept) expect(removal).toContain(name);
  for (const operation of ['delete-user-pool', 'schedule-key-deletion']) expect(removal).toContain(operation);
  // A bucket with versions is not empty when its current objects are deleted.
  for (const { name, properties } of kept) {
    if (!properties.VersioningConfiguration) continue;
    const region = name.includes('-artifact-copies-') ? 'eu-west-1' : 'af-south-1';
    // The command line follows the pages of a list by default, and a request deletes at most 1,000 objects.
    expect(removal).toContain(`list-object-versions --no-paginate --max-keys 500 --region ${region} --bucket ${name}`);
  }
});

test('the checks see commands, and what is wrong with them', async () => {
  const count = PAGES.flatMap((page) => commandsOf(readFileSync(page, 'utf8')).flatMap(awsCommandsIn)).length;
  expect(count).toBeGreaterThan(30);
  const wrong = [
    'aws sqs receive-message --queue-url …',
    'aws sqs receive-messages --region <region>',
    'for x in $(aws lambda invoke --region eu-west-1 --function x); do',
    'aws logs follow --region eu-west-1',
  ];
  expect(await problemsOf(wrong.flatMap(awsCommandsIn))).toEqual([
    expect.stringContaining('has no --region'),
    expect.stringContaining('is no operation'),
    expect.stringContaining('has no option function'),
    expect.stringContaining('is no known operation'),
  ]);
  const tools = [
    'npm run prefly',
    'npx cdk deploy -c hostedZone=Z',
    'npx cdk deploy hosting-<stage>-no',
    'npx cdk remove',
    'node scripts/newcomer.ts',
  ];
  expect(tools.map(problemOfTool).every(Boolean)).toBe(true);
  expect(problemOfTool('npm run preflight -- --zone Z')).toMatch(/--zone/);
  expect(withoutSetup('```sh\nnpm ci && npx cdk diff\nnpm run deploy\nnpx cdk diff\n```')).toEqual([
    'npm ci && npx cdk diff',
  ]);
});

test('remedies of the preflight are commands that exist, with their region', async () => {
  const sources = globSync('scripts/preflight/*.ts', { exclude: ['**/*.test.ts'] });
  const strings = sources.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/`(aws [^`]+)`|'(aws [^']+)'/g)]);
  const commands = strings.map(([, template = '', text = template]) => text.replaceAll(/\$\{[^}]*\}/g, 'x'));
  expect(commands.length).toBeGreaterThan(5);
  expect(await problemsOf(commands.flatMap(awsCommandsIn))).toEqual([]);
});

test('commands that are trusted stand in a page or in what a script prints', () => {
  const sources = globSync('scripts/**/*.ts', { exclude: ['**/*.test.ts'] });
  const texts = [...PAGES, ...sources].map((file) => readFileSync(file, 'utf8')).join('\n');
  const trusted = Object.entries(TRUSTED).flatMap(([service, operations]) =>
    operations.map((operation) => `aws ${service} ${operation}`),
  );
  expect(trusted.filter((command) => !texts.includes(command))).toEqual([]);
});

test('the list of stacks in decision 0003 has each of them', () => {
  const page = readFileSync('docs/decisions/0003-stacks-and-physical-names.md', 'utf8');
  const listed = [...page.matchAll(/^\| (`.+?`) \|/gm)].flatMap(
    ([, cell = '']) => cell.replace('hosting-<stage>-', '').match(/[^`, ]+/g) ?? [],
  );
  // Those outside of the region of the others end in it, so that installations in two regions differ.
  const names = stackNames.map((name) => name.replace(/^hosting-prod-/, '').replace(/-af-south-1$/, ''));
  expect(listed.filter((name) => !/^(?:cell-.*|web-app)$/.test(name)).sort()).toEqual(names.sort());
});

test('pages name only alarms that exist', () => {
  const alarms = ['Alarm', 'CompositeAlarm'].flatMap((type) => template.resources(`AWS::CloudWatch::${type}`));
  const pages = globSync(['*.md', 'docs/**/*.md'], { exclude: ['CHANGELOG.md'] });
  const named = pages.flatMap((page) => [...readFileSync(page, 'utf8').matchAll(/\balarms?\s+`([a-z\d-]+)`/g)]);
  expect(named.length).toBeGreaterThan(2);
  const names = named.map(([, name = '']) => `hosting-prod-${name}`);
  expect(names.filter((name) => !alarms.some((alarm) => alarm.name === name))).toEqual([]);
});

/** Names that resources get at run time, or by a command of the page itself; and the bucket of a built web app. */
const MADE_LATER = /^(app|cell-b-apps|preflight|restored|web-app-123456789012-af-south-1)$/;

test.each(['docs/deploying.md', 'docs/runbook.md'])('%s names only resources that the stacks have', (page) => {
  const types = new Set(
    stacks.flatMap(({ template: { Resources } }) => Object.values(Resources).map(({ Type }) => Type)),
  );
  const existing = new Set([...types].flatMap((type) => template.resources(type).map(({ name }) => name)));
  // A name may end in a placeholder, or be a prefix: `access-logs-<account>-<region>`, `operator-…`.
  const NAME = /hosting-(?:<stage>|prod)-([a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*(?:-(?=[<…"]))?)/g;
  const names = [...readFileSync(page, 'utf8').matchAll(NAME)];
  const unknown = names
    .map(([, name = '']) => name)
    .filter((name) => !MADE_LATER.test(name) && !stackNames.includes(`hosting-prod-${name}`))
    .filter((name) => !existing.has(`hosting-prod-${name}`))
    .filter((name) => !(name.endsWith('-') && [...existing].some((each) => each.startsWith(`hosting-prod-${name}`))));
  expect(names.length).toBeGreaterThan(5);
  expect(unknown).toEqual([]);
});
