import type { Invoice } from './api.ts';

/** What an invoice is for. */
export const KIND_WORDS: Readonly<Record<Invoice['kind'], string>> = {
  PLAN: 'Plan',
  DOMAIN: 'Domain',
  AI_CREDITS: 'AI credits',
};
