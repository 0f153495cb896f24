import type { Redactor } from '../../providers/builds/redaction.ts';
import type { Step } from '../failure.ts';
import type { BuildLog } from './log.ts';

/** The sections of a log, one per step, each with its duration. */
export interface Sections {
  /** The current step, or the last one. */
  readonly current: Step;
  /** Runs a step under its heading. An error of the step is passed on. */
  run<T>(step: Step, title: string, work: () => Promise<T>): Promise<T>;
  /** Adds a line of the platform to the current section. */
  note(line: string): void;
}

/** Creates the sections of a log. Everything that they write is redacted. */
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
      const startedAt = performance.now();
      const result = await work();
      log.note(`done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
      return result;
    },
  };
}
