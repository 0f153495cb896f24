import { readDraft, saveDraft } from '../drafts.ts';

/** The screen of a purchase that waits for a top-up. Stored for the tab, because the payment provider's redirect back lacks it. */
const NAME = 'purchase';
const NONE = { from: '' };

export const keepPurchase = (from: string): void => saveDraft(NAME, NONE, { from });

/** Returns the path of the purchase's screen; undefined if no purchase waits. */
export function purchaseScreen(): string | undefined {
  const from = readDraft(NAME, NONE)?.from ?? '';
  return /^\/[\w/.-]*$/.test(from) ? from : undefined;
}
