import chromium from '@sparticuz/chromium';

/** Unpacks the browser before the first worker starts it: two that did so at once would write what the other runs. */
export async function setup(): Promise<void> {
  await chromium.executablePath();
}
