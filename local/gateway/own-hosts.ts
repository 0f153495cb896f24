import { lookup } from 'node:dns/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** Loopback, where everything listens unless HOST names another address. */
export const LOOPBACK = '127.0.0.1';

/** Returns the addresses to listen on: HOST's, and loopback, over which the parts of the platform call each other. */
export async function listenAddresses(listensAt: string): Promise<string[]> {
  const { address } = await lookup(listensAt);
  const isEverything = address === '0.0.0.0' || address === '::';
  return isEverything ? [address] : [...new Set([LOOPBACK, address])];
}

/** Returns the host name of a Host header, in lower case and without port and brackets. */
export const hostNameOf = (header = ''): string =>
  header
    .trim()
    .toLowerCase()
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');

const isLoopbackName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost');
const isLoopbackAddress = (name: string): boolean => name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));

/**
 * Creates the check of the host names that requests may name. A web page can make a name of its own point to this machine
 * (DNS rebinding), and its visitor's browser then calls the platform for it: the name in the request gives that away. A
 * request that names no host, or an address, was not sent so.
 *
 * @param listensAt value of HOST: its name is allowed, and addresses other than loopback are
 */
export function createOwnHosts(listensAt: string = LOOPBACK): (header: string | undefined) => boolean {
  const listens = isIP(listensAt) ? listensAt : hostNameOf(listensAt);
  const isOpen = !isLoopbackName(listens) && !isLoopbackAddress(listens);
  return (header) => {
    const name = hostNameOf(header);
    if (name === '' || name === listens) return true;
    return isLoopbackName(name) || isLoopbackAddress(name) || (isOpen && isIP(name) !== 0);
  };
}

export const isLoopbackHost = createOwnHosts();

/**
 * Returns true if a request to an emulator or engine may come from the platform. Browsers' requests do not: a page elsewhere
 * can send them to any port of this machine, with this machine's name, and does not need the answer.
 */
export const isPlatformCall = ({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean =>
  isLoopbackHost(host) && origin === undefined && site === undefined;
