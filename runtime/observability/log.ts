import { originFields } from '../../table/correlation.ts';
import { config } from '../config.ts';

type Fields = Record<string, unknown>;

const write = (level: string, message: string, fields: Fields) =>
  process.stdout.write(
    `${JSON.stringify({ level, message, function: config.AWS_LAMBDA_FUNCTION_NAME, ...originFields(), ...fields })}\n`,
  );

/** Returns the chain of an error's causes: often only a cause has the response of a service. */
const causeFields = ({ cause }: Error): Fields =>
  cause instanceof Error ? { cause: { name: cause.name, message: cause.message, ...causeFields(cause) } } : {};

const errorFields = (error: unknown): Fields =>
  error instanceof Error
    ? { error: { name: error.name, message: error.message, ...causeFields(error), stack: error.stack } }
    : { error };

/** Writes one JSON object per line. Callers must never pass a secret, a prompt or a model's response. */
export const log = {
  info: (message: string, fields: Fields = {}) => write('INFO', message, fields),
  warn: (message: string, fields: Fields = {}) => write('WARN', message, fields),
  error: (message: string, error: unknown, fields: Fields = {}) =>
    write('ERROR', message, { ...fields, ...errorFields(error) }),
};

export type Unit = 'Count' | 'Milliseconds' | 'Seconds' | 'Bytes' | 'Percent';
const NAMESPACE = 'HostingPlatform';

/** Fields of a log line from which CloudWatch extracts metrics. */
interface EmbeddedMetrics extends Fields {
  _aws: { Timestamp: number; CloudWatchMetrics: object[] };
}

/**
 * Returns metrics in CloudWatch's embedded metric format, as fields of a log line: `log.info('…', metrics({…}))`.
 * @param dimensions low-cardinality labels, e.g. `{route: 'createApp'}`
 * @param sets the sets of dimensions by which each metric is counted. Default: one set of all dimensions.
 */
export function metrics(
  dimensions: Record<string, string>,
  values: Record<string, [number, Unit]>,
  sets: string[][] = [Object.keys(dimensions)],
): EmbeddedMetrics {
  const Metrics = Object.entries(values).map(([Name, [, Unit]]) => ({ Name, Unit }));
  const Dimensions = sets.map((names) => ['stage', ...names]);
  return {
    _aws: { Timestamp: Date.now(), CloudWatchMetrics: [{ Namespace: NAMESPACE, Dimensions, Metrics }] },
    stage: config.STAGE,
    ...dimensions,
    ...Object.fromEntries(Object.entries(values).map(([name, [value]]) => [name, value])),
  };
}

/** Merges metrics with different dimensions into the fields of one log line. */
export function mergeMetrics(...parts: ReturnType<typeof metrics>[]): EmbeddedMetrics {
  const CloudWatchMetrics = parts.flatMap(({ _aws }) => _aws.CloudWatchMetrics);
  return { ...Object.assign({}, ...parts), _aws: { Timestamp: Date.now(), CloudWatchMetrics } };
}
