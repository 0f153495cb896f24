/** Matches directories in which Next.js and SvelteKit never change a file without changing its name. */
const IMMUTABLE_DIRECTORIES = /(^|\/)(_next\/static|_app\/immutable)\//;
/** Matches files in output directories of Vite, Astro and Nuxt. Files in their subdirectories come from the owner. */
const OUTPUT_DIRECTORIES = /(^|\/)(assets|_astro|_nuxt)\/[^/]+$/;
/** Matches the last part of a name: `8f3a2b1c` in `main.8f3a2b1c.chunk.js.map`. */
const LAST_PART = /[.-](\w+?)(?:\.(?:chunk|entry|module))?\.(\w+)(?:\.map|\.LICENSE\.txt)?$/;
const CODE = /^(m?js|css|wasm|woff2?)$/;

/** Counts the runs of lower-case letters, capitals, digits and underscores: `v2024` has two, `8f3a2b1c` has eight. */
const countRuns = (text: string): number => text.match(/[a-z]+|[A-Z]+|\d+|_+/g)?.length ?? 0;

/**
 * Returns true if a file's name contains a hash of its content, so that browsers may cache the file for a year. Returns false in case of doubt:
 * a hash that is not recognized costs a revalidation, but a name that is mistaken for a hash shows visitors an outdated file for a year. Words
 * with a number (`photo-2024`, `iPhone15`, `12dec2024`) have fewer runs of characters than hashes.
 * @param path path relative to the site
 */
export function isHashed(path: string): boolean {
  if (path.endsWith('.html')) return false;
  if (IMMUTABLE_DIRECTORIES.test(path)) return true;
  const [, part = '', extension = ''] = LAST_PART.exec(path) ?? [];
  const runs = countRuns(part);
  // webpack, Rspack, Parcel, Gatsby and Docusaurus: hexadecimal, of any length.
  if (/^[\da-f]{8,}$/.test(part)) return runs >= 4;
  if (part.length !== 8 || !/\d/.test(part)) return false;
  const isCode = CODE.test(extension);
  // Angular and esbuild: base32.
  if (/^[A-Z2-7]+$/.test(part)) return isCode && runs >= 3;
  // Vite, Rollup and Astro: base64url.
  const isOutput = OUTPUT_DIRECTORIES.test(path);
  const minRuns = isCode && isOutput ? 4 : 5;
  return /[A-Z]/.test(part) && /[a-z]/.test(part) && runs >= minRuns && (isCode || isOutput);
}
