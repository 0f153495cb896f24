import type { Step } from '../failure.ts';
import type { BuildLog } from './log.ts';
import type { Redactor } from './redaction.ts';

/** The log's sections, one a step, each with its duration. */
export interface Sections {
  /** The step that runs, or ran last. */
  readonly current: Step;
  run<T>(step: Step, title: string, work: () => Promise<T>): Promise<T>;
  note(line: string): void;
}

export function createSections(log: BuildLog, redactor: Redactor): Sections {
  let current: Step = 'clone';
  return {
    get current() {
      return current;
    },
    note: (line) => log.note(redactor.redact(line)),
    async run(step, title, work) {
      current = step;
      log.section(redactor.redact(title));
      const began = performance.now();
      const done = await work();
      log.note(`done in ${((performance.now() - began) / 1000).toFixed(1)} s`);
      return done;
    },
  };
}
