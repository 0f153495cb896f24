import type { Job } from '../../providers/builds/builds.ts';
import { openJob } from '../../providers/builds/job-document.ts';
import { readObject, removeObject } from './objects.ts';

/**
 * Reads, decrypts and deletes the job at an address. The address stays readable in the build's environment, so this must happen before the
 * first command of the application. Throws if the job is still readable afterwards.
 * @param address a presigned URL, with the key in its fragment
 */
export async function readAndDeleteJob(address: string): Promise<Job> {
  const [url = '', key = ''] = address.split('#');
  const read = { method: 'GET', url, headers: {} } as const;
  const document = await readObject(read);
  if (!document) throw new Error('The job does not exist: it was read before, or its address has expired');
  const job = openJob(document, key);
  await removeObject(job.access.removeJob);
  if (await readObject(read)) throw new Error('The job could not be deleted');
  return job;
}
