import { readFile } from 'node:fs/promises';
import { ZipFile } from 'yazl';
import type { Job } from '../providers/builds.ts';
import { BuildFailure } from './failure.ts';
import type { Item } from './tree.ts';

/** What Lambda takes, unpacked, less some room for the web adapter. */
const LARGEST = 250 * 1024 * 1024;
const MEGABYTE = 1024 * 1024;
/** Files that are read at the same time. */
const AT_ONCE = 32;
/** Half the size for a tenth of the time of the default level. */
const compressionLevel = 1;
/** The same tree makes the same archive. */
const mtime = new Date('2020-01-01T00:00:00Z');

const PROGRAM = 0o100755;
const FILE = 0o100644;
const LINK = 0o120777;

/** The program that the host starts: the application, after its environment was opened. */
const runScript = (startFile: string) =>
  `#!/bin/sh\nexec node --import ./.service/environment.mjs '${startFile.replaceAll("'", `'\\''`)}'\n`;

export interface Service {
  job: Pick<Job, 'startFile' | 'env' | 'hostArn'>;
  /** The bundled environment.ts. */
  environmentModule: Buffer;
}

/** Packs the application and what the platform adds to it. Throws where it is larger than can be hosted. */
export async function pack(items: readonly Item[], { job, environmentModule }: Service): Promise<Buffer> {
  const bytes = items.reduce((sum, { size }) => sum + size, 0);
  if (bytes > LARGEST) {
    const [has, may] = [bytes, LARGEST].map((size) => Math.round(size / MEGABYTE));
    throw new BuildFailure(`The application is ${has} MB large after the build; at most ${may} MB can be hosted.`);
  }
  const zip = new ZipFile();
  const done = collectOutput(zip);
  zip.addBuffer(Buffer.from(runScript(job.startFile)), 'run.sh', { mode: PROGRAM, mtime, compressionLevel });
  zip.addBuffer(environmentModule, '.service/environment.mjs', { mode: FILE, mtime, compressionLevel });
  if (job.env) {
    const sealed = JSON.stringify({ ...job.env, hostArn: job.hostArn });
    zip.addBuffer(Buffer.from(sealed), '.service/env.json', { mode: FILE, mtime, compressionLevel });
  }
  for (let start = 0; start < items.length; start += AT_ONCE) {
    const batch = items.slice(start, start + AT_ONCE);
    const contents = await Promise.all(
      batch.map(({ source, link }) => (link === undefined ? readFile(source) : Buffer.from(link))),
    );
    for (const [index, { path, link, executable }] of batch.entries()) {
      const mode = link !== undefined ? LINK : executable ? PROGRAM : FILE;
      const content = contents[index] ?? Buffer.alloc(0);
      zip.addBuffer(content, path, { mode, mtime, compressionLevel });
    }
  }
  zip.end();
  return done;
}

async function collectOutput(zip: ZipFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
