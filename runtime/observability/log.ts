import { config } from '../config.ts';

type Fields = Record<string, unknown>;

const write = (level: string, message: string, fields: Fields) =>
  process.stdout.write(`${JSON.stringify({ level, message, function: config.AWS_LAMBDA_FUNCTION_NAME, ...fields })}\n`);

const errorFields = (error: unknown): Fields =>
  error instanceof Error ? { error: { name: error.name, message: error.message, stack: error.stack } } : { error };

/** One JSON object a line. Never given a secret, a prompt or an answer. */
export const log = {
  info: (message: string, fields: Fields = {}) => write('INFO', message, fields),
  warn: (message: string, fields: Fields = {}) => write('WARN', message, fields),
  error: (message: string, error: unknown, fields: Fields = {}) =>
    write('ERROR', message, { ...fields, ...errorFields(error) }),
};

export type Unit = 'Count' | 'Milliseconds' | 'Seconds' | 'Bytes';
const NAMESPACE = 'HostingPlatform';

/**
 * Metrics in CloudWatch's embedded metric format, to be spread into a log line: `log.info('…', metrics({…}))`.
 * @param dimensions low-cardinality labels, e.g. `{route: 'createApp'}`
 * @param sets which of them each metric is counted by; all together unless told
 */
export function metrics(
  dimensions: Record<string, string>,
  values: Record<string, [number, Unit]>,
  sets: string[][] = [Object.keys(dimensions)],
): Fields {
  const Metrics = Object.entries(values).map(([Name, [, Unit]]) => ({ Name, Unit }));
  const Dimensions = sets.map((names) => ['stage', ...names]);
  return {
    _aws: { Timestamp: Date.now(), CloudWatchMetrics: [{ Namespace: NAMESPACE, Dimensions, Metrics }] },
    stage: config.STAGE,
    ...dimensions,
    ...Object.fromEntries(Object.entries(values).map(([name, [value]]) => [name, value])),
  };
}
