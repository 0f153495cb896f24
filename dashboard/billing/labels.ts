import type { Invoice } from './api.ts';

/** Labels of the invoice kinds. */
export const KIND_LABELS: Readonly<Record<Invoice['kind'], string>> = {
  PLAN: 'Plan',
  DOMAIN: 'Domain',
  AI_CREDITS: 'AI credits',
};
