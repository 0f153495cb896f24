/**
 * `npm ci` runs this at its end (`prepare`): a first start, and the first look at the dashboard, find made what they would
 * wait for. What cannot be made is no reason not to install: who needs it makes it anew, and tells the error.
 */
import { builtWebApp } from '../lib/build/web-app.ts';
import { keepBundles } from './kept-bundles.ts';

await Promise.allSettled([keepBundles(), builtWebApp()]);
