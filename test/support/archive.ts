import { fromBufferPromise } from 'yauzl';

/** Returns the artifact's files with their contents, by path. */
export async function entriesOf(artifact: Buffer | undefined): Promise<Map<string, string>> {
  const archive = await fromBufferPromise(artifact ?? Buffer.alloc(0), { lazyEntries: true });
  const entries = new Map<string, string>();
  for await (const entry of archive.eachEntry()) {
    const chunks: Buffer[] = [];
    for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(chunk);
    entries.set(entry.fileName, Buffer.concat(chunks).toString());
  }
  return entries;
}
