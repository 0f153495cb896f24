/**
 * Slugs that no application gets: names under which visitors expect the platform itself, or that mail programs, browsers
 * and certificate authorities treat specially. An application with such a name gets the slug with a suffix.
 */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set([
  // The platform's own pages and addresses.
  ...['www', 'www1', 'www2', 'www3', 'api', 'apis', 'apps', 'ai', 'cdn', 'assets', 'static', 'edge', 'gateway', 'hooks'],
  ...['dashboard', 'console', 'portal', 'panel', 'cpanel', 'whm', 'webmin', 'docs', 'developer', 'developers', 'status'],
  // Signing in, accounts and money.
  ...['login', 'logout', 'signin', 'sign-in', 'signout', 'sign-out', 'signup', 'sign-up', 'register', 'auth', 'oauth'],
  ...['oauth2', 'oidc', 'saml', 'sso', 'id', 'identity', 'idp', 'account', 'accounts', 'my-account', 'password', 'verify'],
  ...['billing', 'invoice', 'invoices', 'pay', 'payment', 'payments', 'checkout', 'wallet', 'bank', 'secure', 'security'],
  // Roles that certificate authorities and mail servers trust (RFC 2142, CA/Browser Forum baseline requirements 3.2.2.4.4).
  ...['admin', 'admins', 'administrator', 'administration', 'root', 'sysadmin', 'operator', 'hostmaster', 'postmaster'],
  ...['webmaster', 'abuse', 'noc', 'ssladmin', 'ssladministrator', 'sslwebmaster', 'staff', 'support', 'help', 'helpdesk'],
  // Mail, and names that programs look up automatically.
  ...['mail', 'email', 'webmail', 'smtp', 'imap', 'pop', 'pop3', 'mx', 'mx1', 'mx2', 'autoconfig', 'autodiscover', 'mta-sts'],
  ...['wpad', 'isatap', 'ns', 'ns1', 'ns2', 'ns3', 'ns4', 'dns', 'ftp', 'sftp', 'ssh', 'vpn', 'proxy', 'localhost', 'git'],
  ...['local', 'broadcasthost', 'internal', 'intranet', 'localdomain'],
]);
