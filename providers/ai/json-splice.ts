/**
 * Changes members of a JSON object in its text and keeps the rest as it was written: numbers that JavaScript cannot
 * hold, order and spacing. A long text with images is not serialised again.
 */
interface Member {
  key: string;
  /** Offsets of the key's start, and of the value's start and end. */
  start: number;
  value: number;
  end: number;
}

/** The index after a string that begins at `from` (its opening quote). */
export function skipString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}

/** Characters that matter outside strings: only they change the depth or end a member. */
const MARK = /["{}[\],]/g;

/** Returns the change of the depth behind a mark. */
function depthBehind(sign: string): number {
  if (sign === '{' || sign === '[') return 1;
  return sign === '}' || sign === ']' ? -1 : 0;
}

/** The index after a value: of the `,` or `}` behind it. */
function skipValue(text: string, from: number): number {
  let depth = 0;
  MARK.lastIndex = from;
  for (let mark = MARK.exec(text); mark; mark = MARK.exec(text)) {
    const [sign] = mark;
    if (sign === '"') MARK.lastIndex = skipString(text, mark.index);
    else if (depth === 0 && (sign === ',' || sign === '}')) return mark.index;
    else depth += depthBehind(sign);
  }
  return text.length;
}

/** Returns true when all brackets and texts of a JSON object are closed at its end, without parsing it: nothing was cut off. */
export function isWhole(text: string): boolean {
  let depth = 0;
  let end = 0;
  MARK.lastIndex = 0;
  for (let mark = MARK.exec(text); mark; mark = MARK.exec(text)) {
    const [sign] = mark;
    end = sign === '"' ? skipString(text, mark.index) : mark.index + 1;
    depth += depthBehind(sign);
    MARK.lastIndex = end;
  }
  return depth === 0 && text.slice(end).trim() === '';
}

/** Adds a key, in its quotes, to those of its object. Returns false where it is ambiguous there. */
function addKey(keys: Set<string>, quoted: string): boolean {
  const key = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  if (keys.has(key) || key === '__proto__') return false;
  keys.add(key);
  return true;
}

/**
 * Returns true when some object in this valid JSON text has a key twice, or the key `__proto__`: what a parser makes of such a
 * text is not all that another one may read in it.
 */
export function isAmbiguous(text: string): boolean {
  /** The keys of each object around the current position; undefined for an array. */
  const around: (Set<string> | undefined)[] = [];
  let keys: Set<string> | undefined;
  let atKey = false;
  MARK.lastIndex = 0;
  for (let mark = MARK.exec(text); mark; mark = MARK.exec(text)) {
    const [sign] = mark;
    if (sign === '"') {
      const end = skipString(text, mark.index);
      if (atKey && keys && !addKey(keys, text.slice(mark.index, end))) return true;
      atKey = false;
      MARK.lastIndex = end;
    } else if (sign === ',') atKey = keys !== undefined;
    else if (sign === '{' || sign === '[') {
      around.push(keys);
      keys = sign === '{' ? new Set() : undefined;
      atKey = sign === '{';
    } else keys = around.pop();
  }
  return false;
}

/** The members of the object that this valid JSON text is. */
function parseMembers(text: string): Member[] {
  const members: Member[] = [];
  let at = text.indexOf('{') + 1;
  for (;;) {
    const start = text.indexOf('"', at);
    if (start < 0) return members;
    const keyEnd = skipString(text, start);
    const value = text.indexOf(':', keyEnd) + 1;
    // In a text that is not valid after all, reading on from the start would not end.
    if (value === 0) return members;
    const end = skipValue(text, value);
    members.push({ key: String(JSON.parse(text.slice(start, keyEnd))), start, value, end });
    if (text[end] !== ',') return members;
    at = end + 1;
  }
}

/**
 * Sets members of the JSON object that `text` is (it must be valid): those that are there in their place, others at the
 * end. A key given twice is set twice, so that no reader sees another value than we meant. `undefined` removes a member.
 */
export function setMembers(text: string, values: Record<string, unknown>): string {
  const members = parseMembers(text);
  const unwanted = ({ key }: Member) => Object.hasOwn(values, key) && values[key] === undefined;
  if (members.some(unwanted)) {
    const kept = members.filter((member) => !unwanted(member)).map(({ start, end }) => text.slice(start, end));
    return setMembers(`{${kept.join(',')}}`, values);
  }
  const has = (key: string) => members.some((member) => member.key === key);
  let out = '';
  let from = 0;
  for (const { key, value, end } of members) {
    if (!Object.hasOwn(values, key)) continue;
    out += `${text.slice(from, value)}${JSON.stringify(values[key])}`;
    from = end;
  }
  const added = Object.entries(values)
    .filter(([key, value]) => !has(key) && value !== undefined)
    .map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  const close = text.lastIndexOf('}');
  const comma = members.length > 0 && added.length > 0 ? ',' : '';
  return `${out}${text.slice(from, close)}${comma}${added.join(',')}${text.slice(close)}`;
}
