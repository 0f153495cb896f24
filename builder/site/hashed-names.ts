/** Directories in which Next.js and SvelteKit replace no file under its name. */
const IMMUTABLE_DIRECTORIES = /(^|\/)(_next\/static|_app\/immutable)\//;
/** Directories of Vite, Astro and Nuxt. Those with further ones inside contain what the owner put there. */
const OUTPUT_DIRECTORIES = /(^|\/)(assets|_astro|_nuxt)\/[^/]+$/;
/** The last part of a name: `8f3a2b1c` of `main.8f3a2b1c.chunk.js.map`. */
const LAST_PART = /[.-](\w+?)(?:\.(?:chunk|entry|module))?\.(\w+)(?:\.map|\.LICENSE\.txt)?$/;
const CODE = /^(m?js|css|wasm|woff2?)$/;

/** Number of runs of lower case letters, capitals, digits and underscores: `v2024` has two, `8f3a2b1c` eight. */
const countRuns = (text: string): number => text.match(/[a-z]+|[A-Z]+|\d+|_+/g)?.length ?? 0;

/**
 * Returns true if a build tool put a hash of the content into a file's name, so that browsers may keep the file. In doubt it
 * did not: a hash that is not recognised costs a revalidation, a name that is mistaken for one shows visitors an old file for a
 * year. Words with a number (`photo-2024`, `iPhone15`, `12dec2024`) change less between kinds of characters than hashes do.
 * @param path relative to the site
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
  const leastRuns = isCode && isOutput ? 4 : 5;
  return /[A-Z]/.test(part) && /[a-z]/.test(part) && runs >= leastRuns && (isCode || isOutput);
}
