/**
 * Returns the variables that are set. An empty one means the default, as one that is not there: `DATA_DIR= npm start`, or a line
 * `DATA_DIR=` of a container's settings, would otherwise name the current directory.
 */
export function readSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}
