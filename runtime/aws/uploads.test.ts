import { expect, test } from 'vitest';
import { UploadGone } from '../../providers/exports/exports.ts';
import { standInFor } from '../../test/support/aws-service.ts';
import { uploads } from './uploads.ts';

/** S3 after it has deleted an upload with its parts: only objects that were made are there. */
const object = { isThere: false };
standInFor('S3', (method, response) => {
  if (method === 'GET' && object.isThere) return response.end('archive');
  const code = method === 'GET' ? 'NoSuchKey' : 'NoSuchUpload';
  return response.writeHead(404).end(`<Error><Code>${code}</Code><Message>Gone.</Message></Error>`);
});

test('a missing upload is an error, unless it has created its object', async () => {
  const part = { uploadId: 'upload-1', number: 1, body: Buffer.from('a') };
  const end = () => uploads.end('builds', 'archive.zip', { uploadId: 'upload-1', tags: ['"tag"'] });
  await expect(uploads.addPart('builds', 'archive.zip', part)).rejects.toThrow(UploadGone);
  await expect(end()).rejects.toThrow(UploadGone);
  object.isThere = true;
  await end();
});
