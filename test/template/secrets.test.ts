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

test('no template takes a secret, except for the header that only CloudFront’s configuration can hold', () => {
  const found = stacks.flatMap(({ stackName, template: each }) =>
    secretReferences(each.Resources).map((path) => `${stackName}: ${path}`),
  );
  const header =
    /^hosting-prod-edge: \/Api\w+\/Properties\/DistributionConfig\/Origins\/\d\/OriginCustomHeaders\/0\/HeaderValue$/;
  expect(found.length).toBeGreaterThan(0);
  expect(found.filter((path) => !header.test(path))).toEqual([]);
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
    'schedule-settleBilling',
    'stream-onTableChange',
  ]);
});

test('secrets that operators fill are created without a value, and no deployment writes one', () => {
  const secrets = read(template, 'AWS::SecretsManager::Secret', z.looseObject({ Name: z.string() }));
  const empty = secrets.filter(({ GenerateSecretString, SecretString }) => !GenerateSecretString && !SecretString);
  expect(empty.map(({ Name }) => Name).sort()).toEqual(['hosting-prod-ai-provider-keys', 'hosting-prod-payments-key']);
});
