import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { createApp } from '../../lib/app.ts';
import { createFolders } from '../../lib/build/bundles.ts';
import { type Config, configure, type SettingsInput } from '../../lib/config.ts';
import { namesOf } from '../../lib/names.ts';
import { type Resource, readTemplate } from '../../local/template/template.ts';

const Stack = z.object({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string() })),
});

export interface PlannedStack {
  name: string;
  region: string;
  /** Types of its resources. */
  types: ReadonlySet<string>;
}

/** Everything that a deployment with these settings would create. */
export interface Plan {
  config: Config;
  account: string;
  names: ReturnType<typeof namesOf>;
  stacks: PlannedStack[];
  /** Regions that receive stacks. */
  regions: string[];
  /** The resources of a type, with their references resolved as far as they are known before a deployment. */
  resources(type: string): Resource[];
}

/**
 * Synthesizes the very stacks that cdk would deploy, so that the checks follow from the templates and need no list of
 * their own. Bundles and the web app are empty folders: no template depends on the code.
 */
export function makePlan(settings: SettingsInput, account: string): Plan {
  const config = configure({ ...settings, account });
  const folder = mkdtempSync(join(tmpdir(), 'preflight-'));
  try {
    const bundles = join(folder, 'bundles');
    createFolders(bundles);
    const webApp = join(folder, 'web-app');
    mkdirSync(join(webApp, 'assets'), { recursive: true });
    writeFileSync(join(webApp, 'index.html'), '');
    const app = createApp({
      ...settings,
      account,
      bundles,
      webApp,
      outdir: join(folder, 'out'),
      validate: false,
      assetsInPlace: true,
    });
    const assembly = app.synth();
    const stacks = assembly.stacks.map(({ stackName, environment, template }) => ({
      name: stackName,
      region: environment.region,
      types: new Set(Object.values(Stack.parse(template).Resources).map(({ Type }) => Type)),
    }));
    const { region } = config;
    const template = readTemplate(assembly.directory, {
      ...{ account, region, baseUrl: config.publicUrl },
      queueUrl: `https://sqs.${region}.amazonaws.com`,
    });
    return {
      ...{ config, account, stacks, names: namesOf(config), resources: template.resources },
      regions: [...new Set(stacks.map((stack) => stack.region))],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
