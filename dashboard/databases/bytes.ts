const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** Formats a number of bytes: `1.5 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), UNITS.length - 1);
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${UNITS[power]}`;
}
