import { expect, test } from 'vitest';
import * as z from 'zod';
import { type AnyRoute, dashboardRoutes, routes } from '../../contract/routes.ts';
import { LambdaFunction, Role, read, synthesize } from './synthesized.ts';

const { stacks, template } = synthesize({ stage: 'prod', domain: 'hosting.example', hostedZoneId: 'Z0123456789ABC' });
const functions = read(template, 'AWS::Lambda::Function', LambdaFunction);
const roles = read(template, 'AWS::IAM::Role', Role);

/** Returns the paths of a document's texts that CloudFormation replaces by a secret. */
function secretReferences(value: unknown, path = ''): string[] {
  if (typeof value === 'string') return /\{\{resolve:/.test(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => secretReferences(each, `${path}/${key}`));
}

/** Returns the paths of properties that are secrets by their name and hold a text: no number, ARN or reference. */
function secretTexts(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const isSecret = /(secret|password|passphrase|token|apikey|privatekey|credential)s?(string|value)?$/i.test(key);
    if (key === 'TokenValidityUnits') return [];
    const isText = typeof each === 'string' && !/^(\{\{resolve:|arn:|\d+$)/.test(each);
    return isSecret && isText ? [`${path}/${key}`] : secretTexts(each, `${path}/${key}`);
  });
}

/**
 * The exception: CloudFront sends a custom header to its origin only from the distribution's own configuration, so that
 * who may read the configuration can read the origin secret. It is rotated without an outage, because functions accept the
 * current and the previous version: first a new version is stored, then the edge is deployed with `originSecretVersion`
 * (docs/runbook.md#origin-secret; runtime/aws/secret-values.test.ts shows that no request is refused meanwhile).
 */
test('no template takes a secret, except for the header that only CloudFront’s configuration can hold', () => {
  const found = stacks.flatMap(({ stackName, template: each }) =>
    secretReferences(each.Resources).map((path) => `${stackName}: ${path}`),
  );
  const header =
    /^hosting-prod-edge: \/Api\w+\/Properties\/DistributionConfig\/Origins\/\d\/OriginCustomHeaders\/0\/HeaderValue$/;
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter((path) => !header.test(path))).toEqual([]);
});

test('the version of the origin secret is a setting, so that a deployment gives the edge the new one', () => {
  const version = '11111111-2222-3333-4444-555555555555';
  const rotated = synthesize({ stage: 'prod', originSecretVersion: version }).stacks;
  const edge = JSON.stringify(rotated.find(({ stackName }) => stackName === 'hosting-prod-edge'));
  const references = edge.match(/\{\{resolve:[^}]*\}\}/g) ?? [];
  expect(references.length).toBeGreaterThan(0);
  for (const reference of references) expect(reference).toContain(`:hosting-prod-origin:SecretString:::${version}`);
});

test('no template has a text where a secret belongs', () => {
  expect(stacks.flatMap(({ template: each }) => secretTexts(each.Resources))).toEqual([]);
  expect(secretTexts({ A: { ClientSecret: 'x', SecretId: 'name' }, B: [{ password: 'y' }] })).toEqual([
    '/A/ClientSecret',
    '/B/0/password',
  ]);
});

test('the check finds a reference wherever it is', () => {
  expect(secretReferences({ A: { B: ['x', '{{resolve:secretsmanager:name}}'] } })).toEqual(['/A/B/1']);
});

test('a function reads exactly the secrets that its configuration names', () => {
  const names = new Map(
    read(template, 'AWS::SecretsManager::Secret', z.object({ Name: z.string() })).map(({ Name }) => [
      `arn:aws:secretsmanager:af-south-1:123456789012:secret:${Name}-??????`,
      Name,
    ]),
  );
  expect(names.size).toBe(3);
  for (const { FunctionName, Environment, Role: role } of functions) {
    const readable = roles
      .filter(({ arn }) => arn === role)
      .flatMap(({ Policies }) => Policies)
      .filter(({ Action }) => Action.some((action) => action.startsWith('secretsmanager:')));
    for (const { Action } of readable) expect(Action).toEqual(['secretsmanager:GetSecretValue']);
    const named = Object.entries(Environment.Variables).flatMap(([name, value]) =>
      name.endsWith('_SECRET_NAME') ? [value] : [],
    );
    const allowed = readable.flatMap(({ Resource }) => Resource.map((arn) => names.get(arn) ?? arn));
    expect(allowed.sort(), FunctionName).toEqual(named.sort());
  }
});

test('only functions that take payments or sell AI calls may read those keys', () => {
  const readersOf = (variable: string) =>
    functions.flatMap(({ FunctionName, Environment }) =>
      variable in Environment.Variables ? [FunctionName.replace('hosting-prod-', '')] : [],
    );
  const paid = [...(routes as readonly AnyRoute[]), ...(dashboardRoutes as readonly AnyRoute[])].filter(({ uses }) =>
    uses.includes('payments'),
  );
  expect(readersOf('AI_KEYS_SECRET_NAME')).toEqual(['ai-chatCompletions']);
  const payments = readersOf('PAYMENTS_SECRET_NAME');
  expect(payments.filter((name) => /^(api|dashboard)-/.test(name))).toHaveLength(paid.length);
  expect(payments.filter((name) => !/^(api|dashboard)-/.test(name)).sort()).toEqual([
    'queue-requestPayment',
    'schedule-settleBilling',
  ]);
});

test('secrets that operators fill are created without a value, and no deployment writes one', () => {
  const secrets = read(template, 'AWS::SecretsManager::Secret', z.looseObject({ Name: z.string() }));
  const empty = secrets.filter(({ GenerateSecretString, SecretString }) => !GenerateSecretString && !SecretString);
  expect(empty.map(({ Name }) => Name).sort()).toEqual(['hosting-prod-ai-provider-keys', 'hosting-prod-payments-key']);
});
