/** Advice for errors whose message does not say what to do, in order of precedence. Each gets the match and the build command. */
const ADVICE: readonly [pattern: RegExp, advice: (match: RegExpExecArray, command: string) => string][] = [
  [
    /ERR_OSSL_EVP_UNSUPPORTED|digital envelope routines::(?:unsupported|initialization error)/,
    (_, command) =>
      `A tool of the build, such as webpack 4, uses a hash function that OpenSSL 3 lacks: update it, or set the build command to "NODE_OPTIONS=--openssl-legacy-provider ${command}".`,
  ],
  [
    /Treating warnings as errors because process\.env\.CI = true/,
    (_, command) =>
      `Create React App treats warnings as errors where CI is true: correct them, or set the build command to "CI=false ${command}".`,
  ],
  [
    /^(?:sh|bash|\/bin\/sh): (?:line )?\d+: ([\w@.+-]{1,100}): (?:command )?not found/m,
    ([, program]) =>
      `No package provides the program "${program}": add the one that does to package.json, and commit the lockfile too.`,
  ],
  [
    /^(?:sh|bash|\/bin\/sh): (?:line )?\d+: ([\w@.+-]{1,100}): Permission denied/m,
    ([, program]) =>
      `The file of "${program}" is not executable. If the repository contains node_modules, remove it ("git rm -r --cached node_modules"), and commit: each build installs it.`,
  ],
  [
    /EACCES: permission denied, \w+ '(\/[^']{1,200})'/,
    ([, path]) => `The build may not write to "${path}": it may write below the repository and to /tmp.`,
  ],
  [
    /(?:Can't resolve|Cannot find module|Could not resolve|Failed to resolve import) ['"](\.{1,2}\/[^'"]{1,200})['"]/,
    ([, path]) =>
      `If "${path}" exists on your machine, check that .gitignore does not keep it out of the repository, and that its name has the same upper and lower case: builds run on Linux.`,
  ],
];

/** Returns a sentence about the cause and the remedy of a failed build command, with a space before it; empty if the cause is unknown. */
export function buildFailureAdvice(printed: string, command: string): string {
  for (const [pattern, advice] of ADVICE) {
    const match = pattern.exec(printed);
    if (match) return ` ${advice(match, command)}`;
  }
  return '';
}
