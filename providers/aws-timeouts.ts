import { TIMEOUTS_S } from '../contract/limits/timeouts.ts';

/**
 * Returns the settings that limit each attempt of an SDK client: by default, an attempt waits for a silent connection for minutes or
 * forever, and a retry never begins.
 * @param seconds the time until the response, and the longest silence in it
 */
export function sdkTimeouts(seconds: number = TIMEOUTS_S.aws.sdk) {
  const limit = seconds * 1000;
  const requestHandler = { connectionTimeout: limit, requestTimeout: limit, socketTimeout: limit };
  return { requestHandler: { ...requestHandler, throwOnRequestTimeout: true } };
}
