/** Git settings that replace SSH addresses by HTTPS, because public repositories need no key. */
const OVER_HTTPS = ['github.com', 'gitlab.com', 'bitbucket.org'].flatMap((host) =>
  [`git@${host}:`, `ssh://git@${host}/`].map((address) => ({ key: `url.https://${host}/.insteadOf`, value: address })),
);

/** The settings as arguments of Git. */
export const overHttpsArguments: readonly string[] = OVER_HTTPS.flatMap(({ key, value }) => ['-c', `${key}=${value}`]);

/** The settings as environment variables, for programs that run Git. */
export const overHttpsEnvironment: Readonly<Record<string, string>> = {
  GIT_CONFIG_COUNT: String(OVER_HTTPS.length),
  ...Object.fromEntries(
    OVER_HTTPS.flatMap(({ key, value }, index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};
