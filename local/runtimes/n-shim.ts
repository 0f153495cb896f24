import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeBinary } from './node-binary.ts';

const MAJORS = ['20', '22', '24'] as const;

/**
 * Writes a replacement of the `n` on CodeBuild's images into `directory`: `n 22` makes the installed Node 22 the `node`
 * in `$N_PREFIX/bin`. npm and npx stay the machine's; their first line finds `node` on PATH.
 */
export function writeNShim(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const choices = MAJORS.map((major) => `  ${major}) node=${quoted(nodeBinary(major))} ;;`);
  const script = [
    '#!/bin/sh',
    'case "$1" in',
    ...choices,
    '  *) echo "n: Node $1 is not installed on this machine" >&2; exit 1 ;;',
    'esac',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
    'bin="${N_PREFIX:?}/bin"',
    'mkdir -p "$bin" && ln -sf "$node" "$bin/node"',
    '',
  ].join('\n');
  const file = join(directory, 'n');
  writeFileSync(file, script);
  chmodSync(file, 0o755);
}
