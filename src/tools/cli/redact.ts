/** The text that replaces a secret in a message. */
const HIDDEN = "***";

const MAX_SHOWN = 80;

/** The query parameters whose values are shown: a name that is missing here may contain a secret. */
const SHOWN_PARAMETERS: ReadonlySet<string> = new Set([
  "application_name",
  "charset",
  "connect_timeout",
  "currentschema",
  "gssencmode",
  "schema",
  "search_path",
  "sslmode",
  "target_session_attrs",
  "timezone",
]);

/** The parts of a URL as written. A URL with an unencoded `@`, `#` or blank in a password does not match. */
const PLAIN_URL =
  /^(?<scheme>[a-z][a-z0-9+.-]*:\/\/)(?:(?<user>[^:@/?#\\\s]*)(?<password>:[^/?#\\\s]*)?@)?(?<host>\[[0-9a-f:.]+\]|[\w.,%-]*)(?<port>:\d{1,5})?(?<path>\/[\w./%~+-]*)?(?:\?(?<query>[^@#\\\s]*))?$/i;

const URL_SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;

/** Signs of a password in a text without a scheme: `user:password@host`, `password=…`. */
const IN_PLAIN_TEXT = /:.*@|(?:pass|pwd|secret|token)\w*\s*[=:]/is;

/**
 * Returns a target or another argument for a message, without passwords. Of a URL only known parts are shown; a URL that
 * is hard to read is hidden whole after its scheme, because any of its parts may belong to a password.
 */
export function redact(text: string): string {
  const scheme = URL_SCHEME.exec(text)?.[0];
  if (scheme !== undefined) return short(redactUrl(text, scheme));
  return IN_PLAIN_TEXT.test(text) ? HIDDEN : short(printable(text));
}

/** Returns a text with control characters as escapes, since they would control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}|[\u2028\u2029]/gu, (found) => {
    const code = (found.codePointAt(0) ?? 0).toString(16);
    return `\\u{${code}}`;
  });
}

function redactUrl(text: string, scheme: string): string {
  const parts = PLAIN_URL.exec(text)?.groups;
  if (parts === undefined) return `${scheme}${HIDDEN}`;
  const { user, password, host = "", port = "", path = "", query } = parts;
  const credentials = user === undefined ? "" : `${user}${password === undefined ? "" : `:${HIDDEN}`}@`;
  const parameters = query === undefined ? "" : `?${query.split("&").map(redactParameter).join("&")}`;
  return `${scheme}${credentials}${host}${port}${path}${parameters}`;
}

function redactParameter(parameter: string): string {
  const end = parameter.indexOf("=");
  if (end < 0) return HIDDEN;
  const name = parameter.slice(0, end);
  const value = parameter.slice(end + 1);
  const isShown = SHOWN_PARAMETERS.has(name.toLowerCase()) && /^[\w.,+-]*$/.test(value);
  if (isShown) return parameter;
  return /^\w+$/.test(name) ? `${name}=${HIDDEN}` : HIDDEN;
}

function short(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1)}…`;
}

/** Returns the message of a driver on one line, without the secrets of a target. */
export function scrub(message: string, target: string): string {
  const secrets = secretsOf(target).toSorted((left, right) => right.length - left.length);
  return printable(
    secrets.reduce((text, secret) => text.replaceAll(secret, HIDDEN), message).replaceAll(/\s*[\r\n]+\s*/g, " "),
  );
}

/** Returns the texts of a URL that may be a password, as written and decoded. */
function secretsOf(target: string): readonly string[] {
  if (!URL_SCHEME.test(target)) return [];
  const found: string[] = [target];
  const authority = /:\/\/[^:@]*:(?<password>.+)@/s.exec(target)?.groups?.["password"];
  if (authority !== undefined) found.push(authority);
  for (const [, name = "", value = ""] of target.matchAll(/[?&]([^=&]*)=([^&]*)/g)) {
    if (!SHOWN_PARAMETERS.has(name.toLowerCase())) found.push(value);
  }
  return [...found, ...found.map(decoded), ...found.map(encodeURIComponent)].filter((text) => text !== "");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign is part of the password.
    return text;
  }
}
