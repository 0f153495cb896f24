/**
 * `npm ci` runs this script at its end (`prepare`), so that the first start and the first page of the dashboard do not wait for a
 * build or a synthesis. Ignores errors: a later build repeats and reports them.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFolders } from '../lib/build/bundles.ts';
import { buildWebApp } from '../lib/build/web-app.ts';
import { cacheBundles } from './lambda/bundle-cache.ts';
import { cacheAssembly } from './template/assembly-cache.ts';
import { LOCAL_SETTINGS } from './template/settings.ts';

// The assembly only names the folders of the bundles, so that it need not wait for them.
const folders = mkdtempSync(join(tmpdir(), 'bundle-folders-'));
createFolders(folders);
await Promise.allSettled([cacheBundles(), buildWebApp(), cacheAssembly(folders, LOCAL_SETTINGS)]);
rmSync(folders, { recursive: true });
