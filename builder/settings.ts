import * as z from 'zod/mini';

const amount = () => z.coerce.number().check(z.positive());

const Settings = z.object({
  /** A presigned URL, with the key of the job in its fragment. */
  JOB_URL: z.string(),
  /** `self`, which only the local run sets, runs the application's commands as the builder's own user. */
  BUILD_USER: z.optional(z.string()),
  BUILD_SECONDS: amount(),
  /** Maximum disk usage of a build in GiB: many times the largest application, and a fraction of the container's disk. */
  BUILD_DISK_GB: z._default(amount(), 20),
  BUILD_REPOSITORY_MB: z.optional(amount()),
  BUILD_REPOSITORY_FILES: z.optional(amount()),
  /** Host keys of further Git hosts, as lines of `known_hosts`. */
  GIT_KNOWN_HOSTS: z._default(z.string(), ''),
  /** JSON object that maps major versions of Node to executables of this machine. Only the local run sets it. */
  NODE_BINARIES: z._default(z.string(), '{}'),
  npm_config_registry: z.optional(z.string()),
});

const Executables = z.record(z.string(), z.string());

/** Reads the variables of a build (lib/stacks/builder.ts). Throws an error that names the invalid variables. */
export function readSettings(environment: NodeJS.ProcessEnv) {
  const { NODE_BINARIES, ...settings } = Settings.parse(environment);
  return { ...settings, installed: Executables.parse(JSON.parse(NODE_BINARIES)) };
}
