import { type App, type AssetOptions, Stack } from 'aws-cdk-lib/core';
import type { Config } from '../config.ts';
import type { Names } from '../names.ts';

/** Input of every stack. */
export interface Platform {
  app: App;
  config: Config;
  names: Names;
  /** The folder of bundles (lib/build/bundles.ts). */
  bundles: string;
  /** Returns the asset options of a bundle. Empty by default, which hashes the bundle's content. */
  asset: (bundle: string) => AssetOptions;
  /** The folder of the built web app. Without it the web app's bucket stays empty. */
  webApp: string | undefined;
}

/** The stack of one concern of the platform: `hosting-<stage>-<concern>`. */
export class PlatformStack extends Stack {
  constructor({ app, config }: Platform, concern: string, description: string, region = config.region) {
    super(app, `${config.prefix}-${concern}`, {
      description,
      env: { region, ...(config.account ? { account: config.account } : {}) },
      terminationProtection: config.keepsData,
      tags: { platform: 'hosting', stage: config.stage },
    });
  }
}
