import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '../emulators/sts/sessions.ts';
import type { Denial } from './authorizer.ts';
import type { Guard } from './guard.ts';
import { isPrincipalSession } from './principals.ts';
import { rightKey } from './usage.ts';

/** The granted and used rights of a run's roles. Each right is a line: role, action, resource, condition. */
export interface RightsReport {
  granted: string[];
  used: string[];
  /** Denied requests: role, action, resource, condition keys. */
  denied: string[];
}

const WRITE_INTERVAL_MS = 10_000;

/** Collects the denials of a run and writes its report. */
export function openReport(directory: string) {
  const denied = new Set<string>();
  return {
    /** Ignores sessions that STS issued, to builds and tests: they try forbidden requests on purpose. */
    onDenied({ role, action, resource, context }: Denial, session: Session): void {
      if (isPrincipalSession(session))
        denied.add(rightKey({ role, action, resource, ...(context ? { condition: context } : {}) }));
    },
    /**
     * Writes the report periodically, in case the run is killed, and at the end. The file is named by the process id, because
     * concurrent runs share the directory.
     */
    reporting({ usage }: Pick<Guard, 'usage'>) {
      mkdirSync(directory, { recursive: true });
      const file = join(directory, `${process.pid}.json`);
      const write = (): void => {
        const report: RightsReport = { ...usage(), denied: [...denied] };
        writeFileSync(`${file}.new`, JSON.stringify(report));
        renameSync(`${file}.new`, file);
      };
      const timer = setInterval(write, WRITE_INTERVAL_MS);
      return {
        async stop() {
          clearInterval(timer);
          write();
        },
      };
    },
  };
}
