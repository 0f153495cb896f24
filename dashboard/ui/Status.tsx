type Tone = 'good' | 'busy' | 'bad' | 'warn' | 'idle';

/** How each state of the contract is seen. A state that is not here yet is shown plainly. */
const TONES: Readonly<Record<string, Tone>> = {
  RUNNING: 'good',
  SUCCEEDED: 'good',
  ACTIVE: 'good',
  PAID: 'good',
  DELIVERED: 'good',
  AVAILABLE: 'good',
  VERIFIED: 'good',
  ISSUED: 'good',
  QUEUED: 'busy',
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

/** A state as a word on its colour; the colour says nothing that the word does not. */
export function Status({ of, tone }: { of: string; tone?: Tone }) {
  const text = of.charAt(0) + of.slice(1).toLowerCase().replaceAll('_', ' ');
  return <span className={`status status-${tone ?? TONES[of] ?? 'idle'}`}>{text}</span>;
}
