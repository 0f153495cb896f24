import { afterAll, afterEach } from 'vitest';
import { closeBrowser, closePages } from './browser.ts';

// A setup file, because files share modules: hooks that a module registers are those of the first file that imports it.
afterEach(closePages);
afterAll(closeBrowser);
