import { globSync, readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { createZip } from '../../providers/archives/zip.ts';
import { measureAlternately, type Row } from '../measure.ts';

const FILE_MODE = 0o100644;
const MODIFIED_AT = new Date(2020, 0, 1);

interface File {
  path: string;
  content: Buffer;
}

/** Returns files of installed packages, as an application's artifact contains them. */
const filesOf = (pattern: string, count: number): File[] =>
  globSync(pattern, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .slice(0, count)
    .map(({ parentPath, name }) => ({ path: `${parentPath}/${name}`, content: readFileSync(`${parentPath}/${name}`) }));

/** Packs with the builder's writer. */
async function packOurs(files: readonly File[]): Promise<Buffer> {
  const zip = createZip();
  for (const { path, content } of files) zip.add(path, content, FILE_MODE);
  return zip.end();
}

/** Packs with yazl at the same compression level. */
async function packWithYazl(files: readonly File[]): Promise<Buffer> {
  const zip = new ZipFile();
  const options = { mtime: MODIFIED_AT, mode: FILE_MODE, compressionLevel: 1, forceDosTimestamp: true };
  for (const { path, content } of files) zip.addBuffer(content, path, options);
  zip.end();
  return await buffer(zip.outputStream);
}

/**
 * Compares the builder's ZIP writer, for which each deployment waits, with yazl. A ratio above its bound means that yazl is fast enough
 * to replace our own writer (docs/decisions/0024-libraries.md).
 */
export async function rows(): Promise<Row[]> {
  const compare = async (name: string, files: readonly File[], times: number): Promise<Row> => {
    const medians = await measureAlternately(
      times,
      () => packOurs(files),
      () => packWithYazl(files),
    );
    return { name, ...medians, unit: 'ms', maxRatio: 0.8 };
  };
  const small = filesOf('node_modules/{zod,jose,semver,@middy/core,oidc-provider}/**/*', 640);
  const large = filesOf('node_modules/aws-cdk-lib/**/*', 3000);
  return [
    await compare(`zip of ${small.length} small files against yazl`, small, 15),
    await compare(`zip of ${large.length} files against yazl`, large, 5),
  ];
}
