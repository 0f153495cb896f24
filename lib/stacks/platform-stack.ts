import { type App, type AssetOptions, Stack } from 'aws-cdk-lib/core';
import type { Config } from '../config.ts';
import type { Names } from '../names.ts';

/** What every stack is made from. */
export interface Platform {
  app: App;
  config: Config;
  names: Names;
  /** The folder of bundles (lib/build/bundles.ts). */
  bundles: string;
  /** How a bundle is known: by its content, which is read for it, unless told otherwise. */
  asset: (bundle: string) => AssetOptions;
  /** The folder of the built web app; without it its bucket stays empty. */
  webApp: string | undefined;
}

/** One concern of the platform: `hosting-<stage>-<concern>`. */
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
