/**
 * Runs inside each process of Node that a start command's shell starts (launch.ts). The variables of the application are opened already, so
 * that nothing is awaited.
 */
import { prepareToServe } from './prepare.ts';

prepareToServe(process.env);
