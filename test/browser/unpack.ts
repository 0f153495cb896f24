import chromium from '@sparticuz/chromium';

/** Unpacks the browser before the first worker starts it: two workers would overwrite the file that the other runs. */
export async function setup(): Promise<void> {
  await chromium.executablePath();
}
