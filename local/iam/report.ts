import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '../emulators/sts/sessions.ts';
import type { Denial } from './authorizer.ts';
import type { Guard } from './guard.ts';
import { isOwn } from './principals.ts';
import { rightKey } from './usage.ts';

/** The use of a run's roles' rights; each right is a line: role, action, resource, condition. */
export interface RightsReport {
  granted: string[];
  used: string[];
  /** Refused requests: role, action, resource, condition keys. */
  denied: string[];
}

const WRITE_INTERVAL_MS = 10_000;

/** Collects a run's denials, and writes its report. */
export function openReport(directory: string) {
  const denied = new Set<string>();
  return {
    /** Sessions of STS are left out: those of builds and tests, which try what they may not do. */
    onDenied({ role, action, resource, context }: Denial, session: Session): void {
      if (isOwn(session)) denied.add(rightKey({ role, action, resource, ...(context ? { condition: context } : {}) }));
    },
    /**
     * Writes the report again and again, for runs that are killed, and at the end. Its name is the process's id: runs side by
     * side share the directory.
     */
    reporting({ usage }: Pick<Guard, 'usage'>) {
      mkdirSync(directory, { recursive: true });
      const file = join(directory, `${process.pid}.json`);
      const write = (): void => {
        const { granted, used } = usage();
        const report: RightsReport = { granted: [...new Set(granted.map(rightKey))], used, denied: [...denied] };
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
