/**
 * Returns the variables that are set and not empty. An empty variable means the default, like a missing one. Otherwise
 * `DATA_DIR= npm start`, or a line `DATA_DIR=` in a container's settings, would name the current directory.
 */
export function readSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
}
