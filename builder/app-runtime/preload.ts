/**
 * Runs inside each Node process that a start command's shell starts (launch.ts). It is synchronous, because the application's variables have
 * been decrypted before.
 */
import { prepareToServe } from './prepare.ts';

prepareToServe(process.env);
