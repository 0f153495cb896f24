import { readFile } from 'node:fs/promises';
import { MAX_ARTIFACT_BYTES } from '../../contract/deployments/artifact-size.ts';
import type { Job } from '../../providers/builds/builds.ts';
import { BuildFailure } from '../failure.ts';
import type { Item } from './tree.ts';
import { createZip, MAX_ENTRIES } from './zip.ts';

const MEGABYTE = 1024 * 1024;
/** Number of files read concurrently. */
const CONCURRENCY = 32;

const PROGRAM = 0o100755;
const FILE = 0o100644;
const LINK = 0o120777;

/**
 * Returns the script that the host runs: it decrypts the environment and starts the application. The application's
 * variables override the ones set here. Next.js listens only on `HOSTNAME`, which may be the machine's name, so it is
 * set.
 */
const runScript = (startFile: string) =>
  [
    '#!/bin/sh',
    'export NODE_ENV=production HOSTNAME=0.0.0.0',
    `exec node --import ./.service/environment.mjs '${startFile.replaceAll("'", `'\\''`)}'`,
    '',
  ].join('\n');

export interface Service {
  job: Pick<Job, 'startFile' | 'env' | 'hostArn' | 'databases' | 'logKibPerMinute'>;
  /** The bundled environment.ts. */
  environmentModule: Buffer;
  /**
   * Distinguishes the release from the previous one even if the repository did not change, so that deploying again
   * restarts the application.
   */
  release: { deploymentId: string; commitSha: string };
}

/** Packs the application and the platform's files. Throws BuildFailure if it is too large to host. */
export async function pack(items: readonly Item[], { job, environmentModule, release }: Service): Promise<Buffer> {
  const bytes = items.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_ARTIFACT_BYTES) {
    const [actualMb, limitMb] = [bytes, MAX_ARTIFACT_BYTES].map((size) => Math.round(size / MEGABYTE));
    throw new BuildFailure(`The application is ${actualMb} MB after the build; the limit is ${limitMb} MB.`);
  }
  if (items.length > MAX_ENTRIES - 10) {
    throw new BuildFailure(`The application has ${items.length} files after the build; the limit is 65,000.`);
  }
  const zip = createZip();
  zip.add('run.sh', Buffer.from(runScript(job.startFile)), PROGRAM);
  zip.add('.service/environment.mjs', environmentModule, FILE);
  zip.add('.service/release.json', Buffer.from(JSON.stringify(release)), FILE);
  if (job.env) zip.add('.service/env.json', Buffer.from(JSON.stringify({ ...job.env, hostArn: job.hostArn })), FILE);
  const { logKibPerMinute } = job;
  if (logKibPerMinute !== undefined) {
    zip.add('.service/limits.json', Buffer.from(JSON.stringify({ logKibPerMinute })), FILE);
  }
  if (job.databases.length > 0) {
    zip.add('.service/databases.json', Buffer.from(JSON.stringify(job.databases)), FILE);
  }
  for (let start = 0; start < items.length; start += CONCURRENCY) {
    const batch = items.slice(start, start + CONCURRENCY);
    const contents = await Promise.all(
      batch.map(({ source, link }) => (link === undefined ? readFile(source) : Buffer.from(link))),
    );
    for (const [index, { path, link, executable }] of batch.entries()) {
      const mode = link !== undefined ? LINK : executable ? PROGRAM : FILE;
      zip.add(path, contents[index] ?? Buffer.alloc(0), mode);
    }
  }
  return zip.end();
}
