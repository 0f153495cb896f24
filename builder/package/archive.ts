import { readFile } from 'node:fs/promises';
import type { Job } from '../../providers/builds/builds.ts';
import { BuildFailure } from '../failure.ts';
import type { Item } from './tree.ts';
import { createZip, MOST_ENTRIES } from './zip.ts';

/** What Lambda takes, unpacked, less some room for the web adapter. */
const LARGEST = 250 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;
/** Files that are read at the same time. */
const AT_ONCE = 32;

const PROGRAM = 0o100755;
const FILE = 0o100644;
const LINK = 0o120777;

/**
 * The program that the host starts: the application, after its environment was opened. Variables of the application's
 * replace these. Next.js listens on `HOSTNAME` alone, which may be the machine's name.
 */
const runScript = (startFile: string) =>
  [
    '#!/bin/sh',
    'export NODE_ENV=production HOSTNAME=0.0.0.0',
    `exec node --import ./.service/environment.mjs '${startFile.replaceAll("'", `'\\''`)}'`,
    '',
  ].join('\n');

export interface Service {
  job: Pick<Job, 'startFile' | 'env' | 'hostArn' | 'databases'>;
  /** The bundled environment.ts. */
  environmentModule: Buffer;
  /** Tells this release from the one before, even when nothing in the repository changed: deploying again restarts. */
  release: { deploymentId: string; commitSha: string };
}

/** Packs the application and what the platform adds to it. Throws where it is larger than can be hosted. */
export async function pack(items: readonly Item[], { job, environmentModule, release }: Service): Promise<Buffer> {
  const bytes = items.reduce((sum, { size }) => sum + size, 0);
  if (bytes > LARGEST) {
    const [has, may] = [bytes, LARGEST].map((size) => Math.round(size / MEGABYTE));
    throw new BuildFailure(`The application is ${has} MB large after the build; at most ${may} MB can be hosted.`);
  }
  if (items.length > MOST_ENTRIES - 10) {
    throw new BuildFailure(`The application has ${items.length} files after the build; at most 65,000 can be hosted.`);
  }
  const zip = createZip();
  zip.add('run.sh', Buffer.from(runScript(job.startFile)), PROGRAM);
  zip.add('.service/environment.mjs', environmentModule, FILE);
  zip.add('.service/release.json', Buffer.from(JSON.stringify(release)), FILE);
  if (job.env) zip.add('.service/env.json', Buffer.from(JSON.stringify({ ...job.env, hostArn: job.hostArn })), FILE);
  if (job.databases.length > 0) {
    zip.add('.service/databases.json', Buffer.from(JSON.stringify(job.databases)), FILE);
  }
  for (let start = 0; start < items.length; start += AT_ONCE) {
    const batch = items.slice(start, start + AT_ONCE);
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
