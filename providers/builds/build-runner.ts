import { createHash } from 'node:crypto';
import { tolerate } from '../aws-errors.ts';

/** The CodeBuild project that runs the builder, in the region of builds. */

/** A build as CodeBuild reports it. */
export interface RunningBuild {
  id: string;
  /** `QUEUED` until a builder is free; `FAULT` if CodeBuild itself failed. */
  status: 'QUEUED' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'FAULT' | 'TIMED_OUT' | 'STOPPED';
  submittedAt: Date;
  phases: BuildPhase[];
}

export interface BuildPhase {
  type: string;
  /** Absent, like the duration, for a phase that has not ended. */
  status?: string;
  seconds?: number;
}

export interface BuildRunner {
  /**
   * Submits a build. Submitting the same job again within five minutes returns the same build.
   * @returns the build's id; undefined if CodeBuild does not accept it at the moment, because its queue is full or it is unreachable
   */
  start(deploymentId: string, jobUrl: string): Promise<string | undefined>;
  /** Returns undefined for a build that does not exist. */
  find(id: string): Promise<RunningBuild | undefined>;
  /** Stops a build. Has no effect on a build that has ended. */
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

/** Phases until a builder is free. They do not count as the customer's build time. */
export const WAITING_PHASES = ['SUBMITTED', 'QUEUED'];
const ENDS = ['SUCCEEDED', 'FAILED', 'FAULT', 'TIMED_OUT', 'STOPPED'] as const;

function statusOf({ buildStatus, currentPhase = 'SUBMITTED' }: Reported): RunningBuild['status'] {
  const end = ENDS.find((status) => status === buildStatus);
  return end ?? (WAITING_PHASES.includes(currentPhase) ? 'QUEUED' : 'RUNNING');
}

/** Returns true if the request failed because of CodeBuild's state and not its content: quota, throttling, 5xx, or no response. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (/LimitExceeded|Throttl|TooManyRequests/.test(error.name)) return true;
  // An error without a status is a broken connection, which has a system error code.
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
      await tolerate(call('StopBuild', { id }), { ResourceNotFoundException: undefined });
    },
  };
}
