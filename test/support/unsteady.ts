import type { Reporter, TestModule } from 'vitest/node';

/** Lists the tests over HTTP that passed only when they were repeated, so that they are seen and mended. */
export const unsteady: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const repeated = modules.flatMap((module) =>
      [...module.children.allTests('passed')]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => `  ${module.relativeModuleId} > ${test.fullName}`),
    );
    if (repeated.length) console.log(['\nPassed only when repeated:', ...repeated].join('\n'));
  },
};
