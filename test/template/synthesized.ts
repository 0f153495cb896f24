import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { createApp } from '../../lib/app.ts';
import { functionFolder, functionNames } from '../../lib/build/bundles.ts';
import type { SettingsInput } from '../../lib/config.ts';
import { readTemplate, type Template } from '../../local/template/template.ts';

const LOCATION = {
  account: '123456789012',
  region: 'af-south-1',
  queueUrl: 'http://queues',
  baseUrl: 'https://example.com',
};

/** Returns a folder that is removed at the end of the test. */
export function temporaryFolder(): string {
  const folder = newFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const newFolder = () => mkdtempSync(join(tmpdir(), 'template-'));

/** Empty bundles with the right names: templates do not depend on the code. */
export function emptyBundles(bundles = temporaryFolder()): string {
  for (const folder of [...functionNames().map((name) => functionFolder(bundles, name)), join(bundles, 'builder')]) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'index.mjs'), `// ${folder}`);
  }
  return bundles;
}

/** Web app with a single page. */
export function builtPage(folder = temporaryFolder()): string {
  mkdirSync(join(folder, 'assets'));
  for (const file of ['index.html', 'assets/index-abc.js']) writeFileSync(join(folder, file), '');
  return folder;
}

/** Settings that an installation must have. */
export const REQUIRED = {
  domain: 'hosting.example',
  hostedZoneId: 'Z0123456789ABC',
  appsDomain: 'hosted-apps.example',
  appsHostedZoneId: 'Z9876543210ABC',
};

/** Two hosting cells, the second one in the platform's region. */
export const CELLS = [
  { id: 'b', account: '222222222222', region: 'eu-west-1', appsDomain: 'hosted-b.example', hostedZoneId: 'Z0CELLB' },
  { id: 'c', account: '333333333333', appsDomain: 'hosted-c.example', hostedZoneId: 'Z0CELLC' },
];

/** Settings that only add resources, together: each has its own, and a synthesis takes seconds. */
export const EXTENDED = { aiCapacity: 'managed', backupRegion: 'eu-west-1' } as const;

/** Addresses that alarms are sent to. */
export const CONTACTS = { alarmEmail: 'ops@hosting.example', pageEmail: 'page@hosting.example' };

/** An installation with the dashboard's page, as a deployment has it. */
export const WITH_PAGE = { ...CONTACTS, withPage: true };

const synthesized = new Map<string, ReturnType<typeof synthesizeOnce>>();

/** Returns the templates of a stage with every reference resolved, synthesized once for the same settings. Read only. */
export function synthesize({ withPage = false, ...given }: SettingsInput & { withPage?: boolean }) {
  const settings = { ...(['local', 'dev'].includes(given.stage ?? 'dev') ? {} : REQUIRED), ...given };
  const key = JSON.stringify([withPage, ...Object.entries(settings).sort()]);
  const known = synthesized.get(key);
  if (known) return known;
  const made = synthesizeOnce(settings, withPage);
  synthesized.set(key, made);
  return made;
}

function synthesizeOnce(settings: SettingsInput, withPage: boolean) {
  const folders = { bundles: newFolder(), page: newFolder(), assembly: newFolder() };
  try {
    const app = createApp({
      ...settings,
      ...(withPage ? { webApp: builtPage(folders.page) } : {}),
      bundles: emptyBundles(folders.bundles),
      outdir: folders.assembly,
      validate: false,
      assetsInPlace: true,
    });
    const assembly = app.synth();
    const stacks = assembly.stacks.map(
      ({ stackName, template, environment, dependencies, terminationProtection = false }) => ({
        stackName,
        dependsOn: dependencies.map(({ id }) => id),
        region: environment.region,
        terminationProtection,
        template: StackTemplate.parse(template),
      }),
    );
    return {
      stacks,
      template: readTemplate(assembly.directory, LOCATION),
      manifest: readFileSync(join(assembly.directory, 'manifest.json'), 'utf8'),
    };
  } finally {
    for (const folder of Object.values(folders)) rmSync(folder, { recursive: true });
  }
}

const StackTemplate = z.object({
  Resources: z.record(
    z.string(),
    z.looseObject({
      Type: z.string(),
      DeletionPolicy: z.string().optional(),
      DependsOn: z.union([z.string(), z.array(z.string())]).optional(),
      Properties: z.record(z.string(), z.unknown()).optional(),
      UpdatePolicy: z.unknown().optional(),
    }),
  ),
  Outputs: z
    .record(z.string(), z.object({ Value: z.unknown(), Export: z.object({ Name: z.string() }).optional() }))
    .optional(),
});

/** Returns every resource of a type with parsed properties. */
export function read<T>(template: Template, type: string, properties: z.ZodType<T>) {
  return template.resources(type).map((resource) => ({
    resource,
    name: resource.name,
    arn: resource.arn,
    ...properties.parse(resource.properties),
  }));
}

const Arn = z.string();

/** Properties of a function that tests read. */
export const LambdaFunction = z.object({
  FunctionName: z.string(),
  Handler: z.string(),
  Runtime: z.string(),
  Architectures: z.array(z.string()),
  Timeout: z.number(),
  MemorySize: z.number(),
  Role: Arn,
  TracingConfig: z.object({ Mode: z.string() }),
  LoggingConfig: z.object({ LogGroup: z.string() }),
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }),
});

const oneOrMore = z.union([z.string(), z.array(z.string())]).transform((value) => [value].flat());

/** Properties of a role that tests read: the statements of all its policies. */
export const Role = z.object({
  Policies: z
    .array(
      z.object({
        PolicyDocument: z.object({
          Statement: z.array(
            z.object({
              Effect: z.literal('Allow'),
              Action: oneOrMore,
              Resource: oneOrMore,
              Condition: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
            }),
          ),
        }),
      }),
    )
    .transform((policies) => policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)),
  ManagedPolicyArns: z.array(z.string()).default([]),
});
