import { App } from 'aws-cdk-lib/core';
import { createApp } from '../lib/app.ts';
import { bundle } from '../lib/build/bundles.ts';
import { buildWebApp } from '../lib/build/web-app.ts';
import { Settings } from '../lib/config.ts';
import { applyNagChecks } from './checks.ts';

/**
 * The app that `cdk` runs: reads settings from its context (`-c stage=… -c domain=…`, cdk.json), bundles everything and
 * checks the templates.
 */
const { node: context } = new App({ autoSynth: false });
const settings = Object.fromEntries(
  Object.keys(Settings.shape)
    .map((name) => [name, context.tryGetContext(name)])
    .filter(([, value]) => value !== undefined),
);

const [bundles, webApp] = await Promise.all([bundle(), buildWebApp()]);
const app = createApp({ ...settings, bundles, webApp });
applyNagChecks(app);
app.synth();
