import { type App, type AssetOptions, Stack } from 'aws-cdk-lib/core';
import type { Config } from '../config.ts';
import type { Use } from '../constructs/rights.ts';
import type { Names } from '../names.ts';

/** Input of every stack. */
export interface Platform {
  /** Prefix of stack names. Default: the prefix of all names. */
  stackPrefix?: string;
  /** The functions that also work in other hosting cells, with their rights there. Each such function adds itself. */
  cellRoles: { functionName: string; inCells: NonNullable<Use['inCells']>[] }[];
  app: App;
  config: Config;
  names: Names;
  /** The folder of bundles (lib/build/bundles.ts). */
  bundles: string;
  /** Returns the asset options of a bundle. Empty by default, which hashes the bundle's content. */
  asset: (bundle: string) => AssetOptions;
}

/**
 * The stack of one concern of the platform: `hosting-<stage>-<concern>`. A stack outside of the platform's region has the platform's region in
 * its name, because another installation may have the same stage.
 *
 * Termination protection is not a property of the stack: CDK would set it before the stack is created, and a failed creation could then not be
 * repeated. `npm run deploy` protects stacks once they exist (scripts/deploy.ts).
 */
export class PlatformStack extends Stack {
  constructor(
    { app, config, stackPrefix = config.prefix }: Platform,
    concern: string,
    description: string,
    region = config.region,
  ) {
    super(app, `${stackPrefix}-${concern}${region === config.region ? '' : `-${config.region}`}`, {
      description,
      env: { region, ...(config.account ? { account: config.account } : {}) },
      tags: { platform: 'hosting', stage: config.stage },
    });
  }
}
