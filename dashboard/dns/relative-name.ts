/** Returns the name of a record relative to its domain: `@`, `www.example.com` and `www.example.com.` as well as `www`. */
export function toRelativeName(name: string, domain: string): string {
  const typed = name.trim().toLowerCase().replace(/\.$/, '');
  if (typed === '@' || typed === domain) return '';
  return typed.endsWith(`.${domain}`) ? typed.slice(0, -domain.length - 1) : typed;
}
