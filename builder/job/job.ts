import type { Job } from '../../providers/builds/builds.ts';
import { openJob } from '../../providers/builds/job-document.ts';
import { readObject, removeObject } from './objects.ts';

/**
 * Takes the job at an address: reads, decrypts and deletes it. The address stays readable in the build's environment, so
 * this must happen before the first command of the application. Throws unless the address is worthless afterwards.
 * @param address a signed URL, with the key in its fragment
 */
export async function takeJob(address: string): Promise<Job> {
  const [url = '', key = ''] = address.split('#');
  const read = { method: 'GET', url, headers: {} } as const;
  const document = await readObject(read);
  if (!document) throw new Error('The job does not exist: it was taken before, or its address has expired');
  // A job that was ordered before a deployment of the platform may lack newer settings.
  const job: Job = Object.assign({ startCommand: null, rootDirectory: null }, openJob(document, key));
  await removeObject(job.access.removeJob);
  if (await readObject(read)) throw new Error('The job could not be deleted');
  return job;
}
