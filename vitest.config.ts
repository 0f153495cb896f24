import { defineConfig } from 'vitest/config';

const beside = '{contract,table,domain,events,runtime,providers,lib,local,builder,dashboard,scripts}/**/*.test.ts';

/**
 * `unit`: beside the code, nothing running. `platform`: over HTTP, against one local run in memory. `browser`: the
 * dashboard in a browser that npm brings, against another.
 */
export default defineConfig({
  test: {
    // Tests over HTTP mostly wait. More of them than two cores carry make others time out: some start a platform.
    maxWorkers: 3,
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
        },
      },
    ],
  },
});
