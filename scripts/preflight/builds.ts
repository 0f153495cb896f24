import {
  BatchDeleteBuildsCommand,
  BatchGetBuildsCommand,
  type Build,
  CodeBuildClient,
  CreateProjectCommand,
  DeleteProjectCommand,
  StartBuildCommand,
  StopBuildCommand,
} from '@aws-sdk/client-codebuild';
import * as z from 'zod';
import { type Check, check } from './check.ts';
import type { Clients } from './clients.ts';
import type { Plan } from './plan.ts';
import { deleteIfPresent, onceRoleIsKnown, withRole } from './probes.ts';

/**
 * Commands of the throwaway build. They determine the processor, and the builder's files that an application's command could read.
 * The builder refuses to build if it finds such a file (builder/commands/self-test.ts).
 */
const BUILD_SPEC = `version: 0.2
env:
  exported-variables: [MACHINE, READABLE]
phases:
  build:
    commands:
      - export MACHINE=$(uname -m)
      - useradd --create-home preflight
      - su preflight -c true
      - export READABLE=$(for file in /codebuild/output/tmp/env.sh /proc/1/environ; do su preflight -c "head -c 1 $file" >/dev/null 2>&1 && echo $file; done; true)
      - export READABLE=\${READABLE:-none}
`;

/** Maximum number of polls of the build. They last longer than queueing and starting a container usually take. */
const MAX_POLLS = 300;

const PlannedProject = z.object({
  Environment: z.object({
    Type: z.literal('ARM_CONTAINER'),
    Image: z.string(),
    ComputeType: z.literal('BUILD_GENERAL1_MEDIUM'),
  }),
});

interface BuildResult {
  status: string;
  /** Message of the failed phase. */
  reason: string;
  variables: Record<string, string>;
}

async function waitForBuild({ pause }: Clients, codeBuild: CodeBuildClient, id: string): Promise<Build | undefined> {
  for (let poll = 1; ; poll += 1) {
    const { builds: [build] = [] } = await codeBuild.send(new BatchGetBuildsCommand({ ids: [id] }));
    if (build?.buildStatus !== 'IN_PROGRESS' || poll >= MAX_POLLS) return build;
    await pause();
  }
}

/** Runs a throwaway build in the templates' build environment. */
async function buildOnce(clients: Clients, { config, account, resources }: Plan): Promise<BuildResult> {
  const codeBuild = new CodeBuildClient({ region: config.buildRegion });
  const name = `${config.prefix}-preflight`;
  const roleName = `${name}-build`;
  const { Environment } = PlannedProject.parse(resources('AWS::CodeBuild::Project')[0]?.properties);
  const remove = () => deleteIfPresent(() => codeBuild.send(new DeleteProjectCommand({ name })));
  return await withRole(clients, { name: roleName, service: 'codebuild.amazonaws.com' }, async () => {
    await remove();
    let id: string | undefined;
    let isRunning = false;
    try {
      await onceRoleIsKnown(clients, () =>
        codeBuild.send(
          new CreateProjectCommand({
            name,
            description: 'Throwaway of npm run preflight, safe to delete',
            timeoutInMinutes: 5,
            source: { type: 'NO_SOURCE', buildspec: BUILD_SPEC },
            artifacts: { type: 'NO_ARTIFACTS' },
            environment: { type: Environment.Type, image: Environment.Image, computeType: Environment.ComputeType },
            serviceRole: `arn:aws:iam::${account}:role/${roleName}`,
            // The role has no right to write logs.
            logsConfig: { cloudWatchLogs: { status: 'DISABLED' }, s3Logs: { status: 'DISABLED' } },
          }),
        ),
      );
      const { build: started } = await codeBuild.send(new StartBuildCommand({ projectName: name }));
      id = started?.id;
      isRunning = true;
      const build = id ? await waitForBuild(clients, codeBuild, id) : undefined;
      isRunning = build?.buildStatus === 'IN_PROGRESS';
      const failed =
        build?.phases?.flatMap(({ contexts = [] }) => contexts.flatMap(({ message }) => message ?? [])) ?? [];
      const variables = build?.exportedEnvironmentVariables ?? [];
      return {
        status: build?.buildStatus ?? 'unknown',
        reason: failed.filter(Boolean).join(' '),
        variables: Object.fromEntries(variables.map(({ name: each = '', value = '' }) => [each, value])),
      };
    } finally {
      if (isRunning) await codeBuild.send(new StopBuildCommand({ id }));
      if (id) await codeBuild.send(new BatchDeleteBuildsCommand({ ids: [id] }));
      await remove();
    }
  });
}

/** Checks that builds run on the same kind of processor as applications, and that a build's commands are isolated from the builder. */
export const checkBuilds = (plan: Plan): Check[] => [
  check({
    what: `Builds on ARM in ${plan.config.buildRegion}`,
    needed: 'a throwaway build runs on aarch64, and a user of its own cannot read the builder’s environment',
    region: plan.config.buildRegion,
    find: (clients) => buildOnce(clients, plan),
    assess: ({ status, reason, variables: { MACHINE, READABLE } }) => {
      const isReadable = READABLE !== undefined && READABLE !== 'none';
      const machine = status === 'SUCCEEDED' ? `on ${MACHINE}` : reason;
      return {
        ok: status === 'SUCCEEDED' && MACHINE === 'aarch64' && READABLE === 'none',
        found: `${status} ${machine}${isReadable ? `; readable: ${READABLE}` : ''}`,
        remedy: isReadable
          ? ['Do not deploy: the builder would refuse every build. Report it (docs/decisions/0028-isolated-builds.md).']
          : ['Choose a region of builds that has ARM containers (docs/deploying.md, 2. Regions): -c buildRegion='],
      };
    },
    remedy: ['Choose a region of builds that has ARM containers (docs/deploying.md, 2. Regions): -c buildRegion='],
  }),
];
