import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { Job } from './builds.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Additional authenticated data that binds the document to its purpose, so that no other document can replace it. */
const purpose = Buffer.from('build job');

/**
 * Encrypts a job with a new key. The document is in the bucket and the key in the build's environment, so neither alone is enough. The
 * builder deletes the document before it runs the first command of the application.
 */
export function sealJob(job: Job): { document: Buffer; key: string } {
  const [key, iv] = [randomBytes(32), randomBytes(IV_BYTES)];
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(purpose);
  const encrypted = [cipher.update(JSON.stringify(job), 'utf8'), cipher.final()];
  return { document: Buffer.concat([iv, ...encrypted, cipher.getAuthTag()]), key: key.toString('base64url') };
}

/** Decrypts a job. Throws if the document was not sealed with the key. */
export function openJob(document: Buffer, key: string): Job {
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key, 'base64url'), document.subarray(0, IV_BYTES))
    .setAAD(purpose)
    .setAuthTag(document.subarray(-TAG_BYTES));
  const text = Buffer.concat([decipher.update(document.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  // Only the platform seals documents with this key, and only Jobs.
  return JSON.parse(text.toString('utf8')) as Job;
}
