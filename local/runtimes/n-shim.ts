import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { nodeBinary } from './node-binary.ts';

const MAJORS = ['20', '22', '24'] as const;

/**
 * Writes an `n` into `directory` that does for the installed versions what the one on CodeBuild's images does: `n 22`
 * makes Node 22 the `node` in `$N_PREFIX/bin`. npm and npx stay the machine's: their first line asks PATH for `node`.
 */
export function writeNShim(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const choices = MAJORS.map((major) => `  ${major}) node=${quoted(nodeBinary(major))} ;;`);
  const script = [
    '#!/bin/sh',
    'case "$1" in',
    ...choices,
    '  *) echo "n: no Node $1 on this machine" >&2; exit 1 ;;',
    'esac',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's, not ours
    'bin="${N_PREFIX:?}/bin"',
    'mkdir -p "$bin" && ln -sf "$node" "$bin/node"',
    '',
  ].join('\n');
  const file = join(directory, 'n');
  writeFileSync(file, script);
  chmodSync(file, 0o755);
}
