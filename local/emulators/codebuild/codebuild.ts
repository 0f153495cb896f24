import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { type Emulator, jsonOperations, parse, ServiceError, serve } from '../wire.ts';
import { BuildQueue, type CodeBuildOptions, type CodeBuildProject } from './build-queue.ts';
import { Build } from './build-run.ts';

const StartBuild = z.object({
  projectName: z.string(),
  idempotencyToken: z.string().optional(),
  timeoutInMinutesOverride: z.number().int().min(5).max(2160).optional(),
  environmentVariablesOverride: z
    .array(z.object({ name: z.string(), value: z.string(), type: z.literal('PLAINTEXT').default('PLAINTEXT') }))
    .default([]),
});
const Ids = z.object({ ids: z.array(z.string()).min(1).max(100) });

const DEFAULT_MINUTES = 60;

const newBuild = (
  input: z.output<typeof StartBuild>,
  { timeoutMinutes = DEFAULT_MINUTES }: CodeBuildProject,
  more: Pick<Build, 'id' | 'arn' | 'buildNumber'>,
): Build => {
  const now = Date.now() / 1000;
  return {
    ...more,
    projectName: input.projectName,
    buildStatus: 'IN_PROGRESS',
    buildComplete: false,
    currentPhase: 'QUEUED',
    startTime: now,
    initiator: 'local',
    timeoutInMinutes: input.timeoutInMinutesOverride ?? timeoutMinutes,
    environment: Build.shape.environment.parse({ environmentVariables: input.environmentVariablesOverride }),
    phases: [{ phaseType: 'SUBMITTED', phaseStatus: 'SUCCEEDED', startTime: now, endTime: now, durationInSeconds: 0 }],
  };
};

/**
 * Starts an emulator of AWS CodeBuild: StartBuild, BatchGetBuilds, StopBuild, ListBuildsForProject. A build runs the
 * project's buildspec in a new directory with a new environment. After a restart, queued builds run and running builds
 * are marked FAULT.
 */
export async function startCodeBuild(options: CodeBuildOptions): Promise<Emulator> {
  const queue = new BuildQueue(options);
  const { builds, projects } = queue;
  const arn = (kind: string, name: string) =>
    `arn:aws:codebuild:${options.region}:${options.accountId}:${kind}/${name}`;

  const start = (body: Buffer) => {
    const input = parse(StartBuild, body);
    const project = projects.get(input.projectName);
    if (!project) {
      throw new ServiceError(
        'ResourceNotFoundException',
        `Project cannot be found: ${arn('project', input.projectName)}`,
      );
    }
    const { idempotencyToken: token, ...parameters } = input;
    const request = JSON.stringify(parameters);
    const earlier = builds.startedWith(token);
    if (earlier && earlier.request !== request) {
      throw new ServiceError('InvalidInputException', 'The idempotency token was used with other parameters.');
    }
    if (earlier) return { build: earlier.build };
    queue.assertRoom();
    const id = `${project.name}:${randomUUID()}`;
    const buildNumber = (builds.all().at(-1)?.buildNumber ?? 0) + 1;
    const build = newBuild(input, project, { id, arn: arn('build', id), buildNumber });
    builds.add({ build, token, request });
    queue.add(build);
    return { build };
  };

  queue.recover();
  const emulator = await serve(
    options.port,
    'application/x-amz-json-1.1',
    jsonOperations({
      StartBuild: start,
      BatchGetBuilds(body) {
        const { ids } = parse(Ids, body);
        const found = ids.map(builds.find);
        return { builds: found.filter((build) => build), buildsNotFound: ids.filter((_, index) => !found[index]) };
      },
      StopBuild(body) {
        const { id } = parse(z.object({ id: z.string() }), body);
        const build = builds.find(id);
        if (!build) throw new ServiceError('ResourceNotFoundException', `Build ${id} does not exist`);
        queue.stop(build);
        return { build };
      },
      ListBuildsForProject(body) {
        const input = parse(
          z.object({ projectName: z.string(), sortOrder: z.enum(['ASCENDING', 'DESCENDING']).optional() }),
          body,
        );
        const ids = builds
          .all()
          .filter(({ projectName }) => projectName === input.projectName)
          .map(({ id }) => id);
        return { ids: input.sortOrder === 'ASCENDING' ? ids : ids.reverse() };
      },
    }),
  );
  queue.startNext();
  return {
    ...emulator,
    async stop() {
      queue.close();
      await emulator.stop();
      await queue.abandon();
    },
  };
}
