import type { Reporter, TestModule } from 'vitest/node';

/** Lists the tests over HTTP that passed only when they were repeated, with what failed, so that they are seen and mended. */
export const unsteady: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const repeated = modules.flatMap((module) =>
      [...module.children.allTests('passed')]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => {
          const failures = test.result().errors?.map(({ message }) => `\n    ${message.split('\n')[0]}`) ?? [];
          return `  ${module.relativeModuleId} > ${test.fullName}${failures.join('')}`;
        }),
    );
    if (repeated.length) console.log(['\nPassed only when repeated:', ...repeated].join('\n'));
  },
};
