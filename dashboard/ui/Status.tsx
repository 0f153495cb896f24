type Tone = 'good' | 'busy' | 'bad' | 'warn' | 'idle';

/** Color of each status of the contract; an unknown status is gray. */
const TONES: Readonly<Record<string, Tone>> = {
  RUNNING: 'good',
  LIVE: 'good',
  SUCCEEDED: 'good',
  ACTIVE: 'good',
  PAID: 'good',
  DELIVERED: 'good',
  AVAILABLE: 'good',
  VERIFIED: 'good',
  ISSUED: 'good',
  READY: 'good',
  QUEUED: 'busy',
  BUILDING: 'busy',
  PENDING: 'busy',
  PROVISIONING: 'busy',
  UNPAID: 'warn',
  WAITING: 'warn',
  SKIPPED: 'warn',
  SUSPENDED: 'warn',
  DELETING: 'warn',
  FAILED: 'bad',
  EXPIRED: 'bad',
  TAKEN: 'bad',
  REVOKED: 'bad',
  DISABLED: 'bad',
};

/** A status as a colored label. The color carries no information that the word lacks. */
export const Status = ({ value, label = toLabel(value) }: { value: string; label?: string }) => (
  <span className={`status status-${TONES[value] ?? 'idle'}`}>{label}</span>
);

/** Converts a status to sentence case: `BLOCKED_ADDRESS` becomes `Blocked address`. */
export const toLabel = (value: string): string => value.charAt(0) + value.slice(1).toLowerCase().replaceAll('_', ' ');
