import { createHash } from 'node:crypto';
import { isAwsError } from '../aws-errors.ts';

/** CodeBuild: the project that runs the builder, in the region of builds. */

/** A build as CodeBuild reports it. */
export interface RunningBuild {
  id: string;
  /** `QUEUED` before a builder is free; `FAULT` where CodeBuild itself failed. */
  status: 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'FAULT' | 'TIMED_OUT' | 'STOPPED';
  submittedAt: Date;
  phases: BuildPhase[];
}

export interface BuildPhase {
  type: string;
  /** Absent for a phase that has not ended, as is its duration. */
  status?: string;
  seconds?: number;
}

export interface BuildRunner {
  /**
   * Submits a build. With the same job it is the same build, for five minutes.
   * @returns the build's id; undefined if CodeBuild does not accept it now, because its queue is full or it is unreachable
   */
  start(deploymentId: string, jobUrl: string): Promise<string | undefined>;
  /** Returns undefined for a build that does not exist. */
  find(id: string): Promise<RunningBuild | undefined>;
  /** Stops a build; one that has ended stays as it is. */
  stop(id: string): Promise<void>;
}

type Call = <Output>(operation: string, input: object) => Promise<Output>;

interface Reported {
  id: string;
  buildStatus: string;
  currentPhase?: string;
  startTime: number;
  phases?: { phaseType: string; phaseStatus?: string; durationInSeconds?: number }[];
}

/** Phases before a builder is free. They are the platform's time, not the customer's. */
export const WAITING_PHASES = ['SUBMITTED', 'QUEUED'];
const ENDS = ['SUCCEEDED', 'FAILED', 'FAULT', 'TIMED_OUT', 'STOPPED'] as const;

function statusOf({ buildStatus, currentPhase = 'SUBMITTED' }: Reported): RunningBuild['status'] {
  const end = ENDS.find((each) => each === buildStatus);
  return end ?? (WAITING_PHASES.includes(currentPhase) ? 'QUEUED' : 'RUNNING');
}

/** True if CodeBuild did not refuse the request for what it says, but for its own state: quota, throttling, 5xx, no answer. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (/LimitExceeded|Throttl|TooManyRequests/.test(error.name)) return true;
  // Without a status it is a broken connection, which has a code of the system.
  return 'status' in error ? Number(error.status) === 0 || Number(error.status) >= 500 : 'code' in error;
}

/** @param call calls an operation of CodeBuild in the region of builds */
export function createBuildRunner(call: Call, projectName: string): BuildRunner {
  return {
    async start(deploymentId, jobUrl) {
      const variables = { DEPLOYMENT_ID: deploymentId, JOB_URL: jobUrl };
      const input = {
        projectName,
        idempotencyToken: createHash('sha256').update(jobUrl).digest('hex'),
        environmentVariablesOverride: Object.entries(variables).map(([name, value]) => ({
          name,
          value,
          type: 'PLAINTEXT',
        })),
      };
      try {
        return (await call<{ build: { id: string } }>('StartBuild', input)).build.id;
      } catch (error) {
        if (isUnavailable(error)) return undefined;
        throw error;
      }
    },

    async find(id) {
      const { builds: [build] = [] } = await call<{ builds?: Reported[] }>('BatchGetBuilds', { ids: [id] });
      return (
        build && {
          id,
          status: statusOf(build),
          submittedAt: new Date(build.startTime * 1000),
          phases: (build.phases ?? []).map(({ phaseType: type, phaseStatus, durationInSeconds }) => ({
            type,
            ...(phaseStatus === undefined ? {} : { status: phaseStatus }),
            ...(durationInSeconds === undefined ? {} : { seconds: durationInSeconds }),
          })),
        }
      );
    },

    async stop(id) {
      try {
        await call('StopBuild', { id });
      } catch (error) {
        if (!isAwsError(error, 'ResourceNotFoundException')) throw error;
      }
    },
  };
}
