import { lookup } from 'node:dns/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** The address on which everything listens, unless HOST names another one. */
export const LOOPBACK = '127.0.0.1';

/** Returns the addresses to listen on: HOST's address, and loopback, over which the parts of the platform call each other. */
export async function listenAddresses(listensAt: string): Promise<string[]> {
  const { address } = await lookup(listensAt);
  const isWildcard = address === '0.0.0.0' || address === '::';
  return isWildcard ? [address] : [...new Set([LOOPBACK, address])];
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
 * Creates the check of a request's Host header, which protects against DNS rebinding: a website can point its domain to this
 * machine, so that a visitor's browser calls the platform on its behalf. Such a request contains the website's domain. A request
 * without a host name, or with an address, cannot result from DNS rebinding.
 *
 * @param listensAt value of HOST. If it is not a loopback address, its name and all addresses are allowed
 */
export function createHostCheck(listensAt: string = LOOPBACK): (header: string | undefined) => boolean {
  const listens = isIP(listensAt) ? listensAt : hostNameOf(listensAt);
  const isOpen = !isLoopbackName(listens) && !isLoopbackAddress(listens);
  return (header) => {
    const name = hostNameOf(header);
    if (name === '' || name === listens) return true;
    return isLoopbackName(name) || isLoopbackAddress(name) || (isOpen && isIP(name) !== 0);
  };
}

export const isLoopbackHost = createHostCheck();

/**
 * Returns true if a request to an emulator or engine may come from the platform, and false if it comes from a browser: any website
 * can make a browser send requests to any port of this machine, under this machine's name, without reading the response.
 */
export const isPlatformCall = ({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean =>
  isLoopbackHost(host) && origin === undefined && site === undefined;
