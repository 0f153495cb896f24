/** First and last line of npm's usage text, which explains nothing about a failure. */
const USAGE_BEGIN = /^npm (error|ERR!) (Clean install a project|Usage:)$/;
const USAGE_END = /^npm (error|ERR!) Run "npm help/;
/** Messages about npm's own settings and files, which an owner cannot act on. */
const OWN_SETTINGS =
  /^npm (warn|WARN) (Unknown (user|env|cli|builtin|global|project) config|config (global|cache|init)|using --force)|^npm (error|ERR!) A complete log of this run can be found in|^npm notice/i;
/** A longer line is passed on in pieces. */
const MAX_LINE_LENGTH = 8192;

/**
 * Creates a filter of a package manager's output: it leaves out npm's usage text and messages about npm's own settings.
 * @param output receives whole lines, except for very long ones
 */
export function createNoiseFilter(output: (text: string) => void): { write(text: string): void; end(): void } {
  let rest = '';
  let isUsage = false;
  const pass = (line: string): boolean => {
    const text = line.trimEnd();
    if (USAGE_BEGIN.test(text)) isUsage = true;
    if (!isUsage) return !OWN_SETTINGS.test(text);
    if (USAGE_END.test(text) || !/^npm (error|ERR!)/.test(text)) isUsage = false;
    return USAGE_END.test(text) ? false : !/^npm (error|ERR!)/.test(text);
  };
  return {
    write(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      const kept = lines.filter(pass);
      if (kept.length > 0) output(`${kept.join('\n')}\n`);
      if (rest.length <= MAX_LINE_LENGTH) return;
      output(rest);
      rest = '';
    },
    end() {
      if (rest !== '' && pass(rest)) output(rest);
      rest = '';
    },
  };
}
