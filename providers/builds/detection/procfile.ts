/** Processes of a Procfile by their names (https://devcenter.heroku.com/articles/procfile): `web: node server.js`. */
export function parseProcfile(text: string): { web?: string; worker?: string } {
  const processes = text.split(/\r?\n/).flatMap((line) => {
    const [, name = '', command = ''] = /^\s*([\w-]+)\s*:\s*(.+?)\s*$/.exec(line) ?? [];
    return name === '' ? [] : [[name, command] as const];
  });
  return Object.fromEntries(processes);
}
