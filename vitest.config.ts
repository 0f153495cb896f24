import { defineConfig } from 'vitest/config';

const beside =
  '{contract,table,domain,events,runtime,providers,lib,local,builder,dashboard,client,cli,scripts}/**/*.test.ts';

/**
 * `unit`: beside the code, nothing running. `platform`: over HTTP, against one local run in memory. `browser`: the
 * dashboard in a browser that npm brings, against another. `release`: what takes minutes, before a release.
 */
export default defineConfig({
  test: {
    // Some files start a platform of their own: two at a time is what two cores carry.
    maxWorkers: 2,
    projects: [
      { test: { name: 'unit', include: [beside, 'test/{support,template}/**/*.test.ts'], testTimeout: 30_000 } },
      {
        test: {
          name: 'platform',
          include: ['test/{api,flow,security}/**/*.test.ts'],
          globalSetup: 'test/support/platform.ts',
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/browser/unpack.ts', 'test/support/platform.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Another platform, and browsers: after the others have ended.
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'release',
          include: ['test/release/**/*.test.ts'],
          globalSetup: 'test/support/platform.ts',
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
