/**
 * `npm ci` runs this at its end (`prepare`), so that the first start and the first page of the dashboard need not wait
 * for a build. Errors are ignored: a later build repeats and reports them.
 */
import { buildWebApp } from '../lib/build/web-app.ts';
import { cacheBundles } from './lambda/bundle-cache.ts';

await Promise.allSettled([cacheBundles(), buildWebApp()]);
