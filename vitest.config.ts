import { defineConfig } from 'vitest/config';

/** `unit`: beside the code, nothing running. `platform`: over HTTP against one local run, started once. */
export default defineConfig({
  test: {
    testTimeout: 20_000,
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{contract,table,domain,events,runtime,providers,local,lib,builder}/**/*.test.ts',
            'test/template/**/*.test.ts',
          ],
        },
      },
    ],
  },
});
