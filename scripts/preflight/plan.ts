import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { createApp } from '../../lib/app.ts';
import { createFolders } from '../../lib/build/bundles.ts';
import { type CellNames, cellsOf } from '../../lib/cells.ts';
import { type Config, configure, type SettingsInput } from '../../lib/config.ts';
import { namesOf } from '../../lib/names.ts';
import { type Resource, readTemplate } from '../../local/template/template.ts';

const Stack = z.object({
  Resources: z.record(z.string(), z.looseObject({ Type: z.string() })),
});

export interface PlannedStack {
  name: string;
  region: string;
  /** The types of the stack's resources. */
  types: ReadonlySet<string>;
}

/** The resources that a deployment would create in the caller's account: the platform, hosting cells, or both. */
export interface Plan {
  config: Config;
  /** The caller's account. */
  account: string;
  /** True if the caller's account is the platform's. */
  isHome: boolean;
  /** The cells in the account. */
  cells: CellNames[];
  names: ReturnType<typeof namesOf>;
  stacks: PlannedStack[];
  /** Regions of the account that receive stacks. */
  regions: string[];
  /** Returns the resources of a type, with all references resolved that are known before a deployment. */
  resources(type: string): Resource[];
}

/**
 * Synthesizes the stacks that cdk would deploy, so that the checks are derived from the templates. Bundles and the web app are empty
 * folders, because no template depends on the code.
 */
export function makePlan(settings: SettingsInput, account: string): Plan {
  const home = settings.account ?? account;
  const config = configure({ ...settings, account: home });
  const folder = mkdtempSync(join(tmpdir(), 'preflight-'));
  try {
    const bundles = join(folder, 'bundles');
    createFolders(bundles);
    const webApp = join(folder, 'web-app');
    mkdirSync(join(webApp, 'assets'), { recursive: true });
    writeFileSync(join(webApp, 'index.html'), '');
    const app = createApp({
      ...settings,
      account: home,
      bundles,
      webApp,
      outdir: join(folder, 'out'),
      validate: false,
      assetsInPlace: true,
    });
    const assembly = app.synth();
    const stacks = assembly.stacks
      .filter(({ environment }) => environment.account === account)
      .map(({ stackName, environment, template }) => ({
        name: stackName,
        region: environment.region,
        types: new Set(Object.values(Stack.parse(template).Resources).map(({ Type }) => Type)),
      }));
    const here = new Set(stacks.map(({ name }) => name));
    const { region } = config;
    const template = readTemplate(assembly.directory, {
      account,
      region,
      baseUrl: config.publicUrl,
      queueUrl: `https://sqs.${region}.amazonaws.com`,
    });
    return {
      config,
      account,
      stacks,
      isHome: account === home,
      names: namesOf(config),
      cells: cellsOf(config).filter((cell) => cell.config.account === account),
      resources: (type) => template.resources(type).filter(({ stack }) => here.has(stack)),
      regions: [...new Set(stacks.map((stack) => stack.region))],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
