import { App } from 'aws-cdk-lib/core';
import { createApp } from '../lib/app.ts';
import { bundle } from '../lib/build/bundles.ts';
import { builtWebApp } from '../lib/build/web-app.ts';
import { Settings } from '../lib/config.ts';
import { check } from '../lib/constructs/checks.ts';

/** What `cdk` runs: settings from its context (`-c stage=… -c domain=…`, cdk.json), everything bundled and checked. */
const { node: context } = new App({ autoSynth: false });
const settings = Object.fromEntries(
  Object.keys(Settings.shape)
    .map((name) => [name, context.tryGetContext(name)])
    .filter(([, value]) => value !== undefined),
);

const [bundles, webApp] = await Promise.all([bundle(), builtWebApp()]);
const app = createApp({ ...settings, bundles, webApp });
check(app);
app.synth();
