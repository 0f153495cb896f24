import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isolateTemporaryFiles } from './test/support/temporary-files.ts';
import { unsteady } from './test/support/unsteady.ts';

// npm sets `production` for its scripts because `.npmrc` omits development dependencies; vitest does not replace it.
process.env.NODE_ENV = 'test';
isolateTemporaryFiles();

const beside =
  '{contract,table,domain,events,runtime,providers,lib,local,builder,dashboard,client,cli,scripts}/**/*.test.ts';

/**
 * Long files that mostly wait begin first, then browsers, then the rest over HTTP, then unit tests that compile, then the
 * others: what computes runs while they wait, and no long file is left for the end.
 */
const FIRST = ['/test/flow/', '/test/browser/', '/test/', '/scripts/', '/lib/', '/builder/'];
const rank = ({ moduleId }: TestSpecification): number => {
  const found = FIRST.findIndex((folder) => moduleId.includes(folder));
  return found < 0 ? FIRST.length : found;
};

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

/**
 * A test over HTTP shares two cores with a platform, engines and browsers; one that fails is repeated once, and listed at
 * the end. Unit tests are not repeated.
 */
const REPEATED = 1;

/** The limit of a test or a hook, for a busy machine: none has a shorter one of its own. */
const TIMEOUT_MS = 120_000;

/** Over HTTP, against the one local run in memory. */
const overHttp = {
  globalSetup: ['test/support/platform.ts'],
  testTimeout: TIMEOUT_MS,
  hookTimeout: TIMEOUT_MS,
  retry: REPEATED,
};

/**
 * `unit`: beside the code, nothing running. `platform`: operations of the API. `flow`: whole ways, some of them with a run
 * of their own, whose settings the functions in the test's process take. `browser`: the dashboard in a browser that npm
 * brings. `release`: what takes minutes, before a release.
 */
export default defineConfig({
  test: {
    // Twice as many as CI has cores: tests over HTTP wait a third of their time (docs/decisions/0046-test-time.md).
    maxWorkers: 4,
    sequence: { sequencer: WaitingFirst },
    reporters: ['default', unsteady],
    projects: [
      {
        test: {
          name: 'unit',
          include: [beside, 'test/{support,template,walks}/**/*.test.ts'],
          // A synthesis of all stacks takes 20 seconds on a busy machine. Hooks bundle, and start engines.
          testTimeout: TIMEOUT_MS,
          hookTimeout: TIMEOUT_MS,
          // Modules are evaluated once per process, and templates synthesized once: files leave nothing behind.
          isolate: false,
          // Nor does a test leave a spy: `Math.random` of one file decided the retries of others.
          restoreMocks: true,
        },
      },
      {
        test: {
          name: 'platform',
          include: ['test/{api,security}/**/*.test.ts'],
          ...overHttp,
          isolate: false,
        },
      },
      {
        test: {
          name: 'flow',
          include: ['test/flow/**/*.test.ts'],
          ...overHttp,
        },
      },
      {
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          ...overHttp,
          // The longest wait for a page ends before it, wherever in the test it begins: the failure names what was awaited.
          testTimeout: 2 * TIMEOUT_MS,
          globalSetup: ['test/browser/unpack.ts', 'test/support/platform.ts'],
          setupFiles: 'test/browser/hooks.ts',
          isolate: false,
        },
      },
      {
        test: {
          name: 'release',
          include: ['test/release/**/*.test.ts'],
          globalSetup: ['test/browser/unpack.ts', 'test/support/platform.ts'],
          setupFiles: 'test/browser/hooks.ts',
          testTimeout: TIMEOUT_MS,
          hookTimeout: TIMEOUT_MS,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
