import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { ZipFile } from 'yazl';
import { openCodeStore } from './code-store.ts';

test('an archive whose file cannot be written fails the call that adds it, and nothing else', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'code-store-'));
  const unhandled: unknown[] = [];
  const keep = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', keep);
  onTestFinished(() => {
    process.off('unhandledRejection', keep);
    rmSync(dataDir, { recursive: true });
  });
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from('below'), 'a/b');
  // Whichever of the two is unpacked first, the other has no place.
  zip.addBuffer(Buffer.from('no file'), 'a');
  for (let count = 0; count < 20; count++) zip.addBuffer(Buffer.from('other'), `${count}/other`);
  zip.end();
  const bytes = await buffer(zip.outputStream);
  await expect(openCodeStore(dataDir).add(bytes, 0)).rejects.toMatchObject({
    code: expect.stringMatching(/^(EISDIR|EEXIST|ENOTDIR)$/),
  });
  expect(readdirSync(dataDir, { recursive: true }).sort()).toEqual(['app-code', 'apps']);
  expect(unhandled).toEqual([]);
});
