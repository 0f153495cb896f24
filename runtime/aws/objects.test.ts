import { expect, test } from 'vitest';
import { standInFor } from '../../test/support/aws-service.ts';
import { deleteObject, getObject, putObject } from './objects.ts';

/** S3 without any object, which answers a write as one that fails after it began. */
standInFor('S3', (method, response) => {
  const [status, code] = method === 'PUT' ? [200, 'AccessDenied'] : [404, 'NoSuchKey'];
  response.writeHead(status).end(`<Error><Code>${code}</Code><Message>No.</Message></Error>`);
});

test('a missing object is read as undefined, and deleted without an error', async () => {
  expect(await getObject('builds', 'missing')).toBeUndefined();
  await expect(deleteObject('builds', 'missing')).resolves.toBeUndefined();
});

test('an error in a response with status 200 is a failure', async () => {
  await expect(putObject('builds', 'a', 'text', 'text/plain')).rejects.toMatchObject({ name: 'AccessDenied' });
});
