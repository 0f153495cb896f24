/** Measurements of databases: CloudWatch. */
export interface DatabaseMetrics {
  /** Returns the storage of a cluster in bytes as last measured; null before the first measurement. */
  storageBytes(clusterId: string, now: Date): Promise<number | null>;
}

interface Results {
  MetricDataResults: { Values: number[] }[];
}
type Call = <Output>(operation: string, input: object) => Promise<Output>;

/** DSQL measures every minute (https://docs.aws.amazon.com/aurora-dsql/latest/userguide/cloudwatch-monitoring.html). */
const PERIOD_S = 300;
/** An idle cluster may be measured less often. */
const WINDOW_S = 86_400;

export const createDatabaseMetrics = (call: Call): DatabaseMetrics => ({
  async storageBytes(clusterId, now) {
    const Dimensions = [{ Name: 'ClusterId', Value: clusterId }];
    const Metric = { Namespace: 'AWS/AuroraDSQL', MetricName: 'ClusterStorageSize', Dimensions };
    const EndTime = Math.floor(now.getTime() / 1000);
    const { MetricDataResults } = await call<Results>('GetMetricData', {
      MetricDataQueries: [{ Id: 'storage', MetricStat: { Metric, Period: PERIOD_S, Stat: 'Maximum' } }],
      StartTime: EndTime - WINDOW_S,
      EndTime,
      ScanBy: 'TimestampDescending',
    });
    return MetricDataResults[0]?.Values[0] ?? null;
  },
});
