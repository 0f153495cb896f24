/** Git settings that replace SSH addresses by HTTPS, because public repositories need no key. */
const OVER_HTTPS = ['github.com', 'gitlab.com', 'bitbucket.org'].flatMap((host) =>
  [`git@${host}:`, `ssh://git@${host}/`].map((address) => ({ key: `url.https://${host}/.insteadOf`, value: address })),
);

/** The settings as arguments of Git. */
export const overHttpsArguments: readonly string[] = OVER_HTTPS.flatMap(({ key, value }) => ['-c', `${key}=${value}`]);

/** The settings as environment variables, for programs that run Git. */
const OVER_HTTPS_ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_CONFIG_COUNT: String(OVER_HTTPS.length),
  ...Object.fromEntries(
    OVER_HTTPS.flatMap(({ key, value }, index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};

/** Matches a command line that runs only package managers, apart from changes of directory. */
const ONLY_MANAGERS = /^(?:(?:npm|npx|pnpm|yarn|corepack|cd)\b[^;&|`$<>()\n]*(?:&&|;|$)\s*)+$/;
/** Matches what sets up access to private repositories, also by a script of that name. */
const SETS_UP_GIT = /ssh|git/i;
/** Variables by which owners configure Git. */
const GIT_VARIABLES = /^GIT_(SSH|CONFIG)/;

/**
 * Returns the settings as environment variables for an installation, or none if the owner may have set up access to private repositories by a
 * key, or by a token in other settings: Git would no longer use it.
 * @param commands the install command and the scripts that run before it
 * @param variables the environment of the commands
 */
export function overHttpsEnvironment(
  commands: readonly string[],
  variables: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const isOwn =
    commands.some((command) => !ONLY_MANAGERS.test(command) || SETS_UP_GIT.test(command)) ||
    Object.keys(variables).some((name) => GIT_VARIABLES.test(name));
  return isOwn ? {} : OVER_HTTPS_ENVIRONMENT;
}
