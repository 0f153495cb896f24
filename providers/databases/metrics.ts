import { type CallMetrics, readMetricData } from '../metric-data.ts';

/** The usage of a cluster. */
export interface DatabaseUsage {
  /** DPUs (distributed processing units) since the beginning of the month (UTC). */
  units: number;
  /** Storage in bytes: the last measurement since the day before the month; undefined if there is none. */
  storageBytes: number | undefined;
}

/** Reads measurements of databases from CloudWatch. */
export interface DatabaseMetrics {
  /** Returns the last measured storage of a cluster in bytes; null before the first measurement. */
  storageBytes(clusterId: string, now: Date): Promise<number | null>;
  /** Returns the usage of clusters by id. Deleted clusters have metrics too. */
  readUsage(clusterIds: readonly string[], now: Date): Promise<Map<string, DatabaseUsage>>;
}

/** DSQL measures every minute (https://docs.aws.amazon.com/aurora-dsql/latest/userguide/cloudwatch-monitoring.html). */
const PERIOD_S = 300;
/** The period searched for the last measurement: an idle cluster may be measured less often than every minute. */
const WINDOW_S = 86_400;
const HOUR_S = 3600;
const DAY_S = 86_400;
/**
 * Maximum clusters of one request. CloudWatch allows 500 queries and returns at most 100,800 values; a month with the day before it has
 * 768 hours
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_GetMetricData.html).
 */
const CLUSTERS_PER_REQUEST = 100;

/** Returns the query for a metric of a cluster. */
const query = (id: string, clusterId: string, metric: { name: string; stat: 'Maximum' | 'Sum'; period: number }) => ({
  Id: id,
  MetricStat: {
    Metric: {
      Namespace: 'AWS/AuroraDSQL',
      MetricName: metric.name,
      Dimensions: [{ Name: 'ClusterId', Value: clusterId }],
    },
    Period: metric.period,
    Stat: metric.stat,
  },
});
const storage = { name: 'ClusterStorageSize', stat: 'Maximum' } as const;
/** The unit that DSQL charges for all processing (https://docs.aws.amazon.com/aurora-dsql/latest/userguide/billing-metering.html). */
const units = { name: 'TotalDPU', stat: 'Sum', period: DAY_S } as const;

/** Reads the metrics of clusters from CloudWatch. */
export const createDatabaseMetrics = (call: CallMetrics): DatabaseMetrics => {
  /** Returns the values of each query, newest first. */
  const read = (queries: object[], StartTime: number, EndTime: number) =>
    readMetricData(call, { MetricDataQueries: queries, StartTime, EndTime, ScanBy: 'TimestampDescending' });

  return {
    async storageBytes(clusterId, now) {
      const end = Math.floor(now.getTime() / 1000);
      const found = await read([query('storage', clusterId, { ...storage, period: PERIOD_S })], end - WINDOW_S, end);
      return found.get('storage')?.[0]?.value ?? null;
    },

    async readUsage(clusterIds, now) {
      const usages = new Map<string, DatabaseUsage>();
      const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) / 1000;
      // Starts at midnight UTC, so that each period of a day is a calendar day.
      const [start, end] = [month - DAY_S, Math.ceil(now.getTime() / 1000)];
      for (let at = 0; at < clusterIds.length; at += CLUSTERS_PER_REQUEST) {
        const part = clusterIds.slice(at, at + CLUSTERS_PER_REQUEST);
        const found = await read(
          part.flatMap((clusterId, index) => [
            query(`storage${index}`, clusterId, { ...storage, period: HOUR_S }),
            query(`units${index}`, clusterId, units),
          ]),
          start,
          end,
        );
        for (const [index, clusterId] of part.entries()) {
          const unitsOfMonth = (found.get(`units${index}`) ?? []).filter((point) => point.at >= month);
          usages.set(clusterId, {
            units: unitsOfMonth.reduce((total, { value }) => total + value, 0),
            storageBytes: found.get(`storage${index}`)?.[0]?.value,
          });
        }
      }
      return usages;
    },
  };
};
