import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule } from 'vitest/node';

/** Lines of a difference that are listed: enough to tell what was there and should not have been. */
const MAX_DIFFERENCES = 8;

const isDifference = (line: string): boolean => /^[+-] (?!Expected|Received)/.test(line);

/** Lists the tests over HTTP that passed only when they were repeated, with what failed, so that they are seen and mended. */
export const unsteady: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const repeated = modules.flatMap((module) =>
      [...module.children.allTests('passed')]
        .filter((test) => test.diagnostic()?.flaky)
        .map((test) => {
          const failures = (test.result().errors ?? []).flatMap(({ message, diff = '' }) => [
            message.split('\n')[0],
            ...stripVTControlCharacters(diff).split('\n').filter(isDifference).slice(0, MAX_DIFFERENCES),
          ]);
          return `  ${module.relativeModuleId} > ${test.fullName}${failures.map((line) => `\n    ${line}`).join('')}`;
        }),
    );
    if (repeated.length) console.log(['\nPassed only when repeated:', ...repeated].join('\n'));
  },
};
