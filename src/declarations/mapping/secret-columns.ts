/** Words of columns that most likely contain a secret. */
const SECRETS: ReadonlySet<string> = new Set([
  "apikey",
  "cookie",
  "credential",
  "cvc",
  "cvv",
  "hash",
  "hashed",
  "jwt",
  "kennwort",
  "otp",
  "pass",
  "passcode",
  "passphrase",
  "passwd",
  "password",
  "passwort",
  "pin",
  "privkey",
  "pw",
  "pwd",
  "salt",
  "secret",
  "token",
  "totp",
  "userpwd",
]);

/** Words of secrets that may be numbers. A number with another name, such as a counter of tokens, is no secret. */
const NUMBERS: ReadonlySet<string> = new Set(["cvc", "cvv", "otp", "pin", "totp"]);

/** Types whose values are no secret, whatever their name: `must_change_password`, `token_expires_at`. */
const HARMLESS: ReadonlySet<string> = new Set([
  "Edm.Boolean",
  "Edm.Date",
  "Edm.DateTimeOffset",
  "Edm.Duration",
  "Edm.TimeOfDay",
]);

/** The last words of names of times, whatever their type: `job_token_timestamp`. */
const TIMES: ReadonlySet<string> = new Set(["at", "date", "expires", "expiry", "time", "timestamp"]);

const NUMERIC = /^Edm\.(?:S?Byte|Int16|Int32|Int64|Single|Double|Decimal)$/;

/** Pairs of words that mean a secret together. */
const PAIRS: ReadonlySet<string> = new Set([
  "access key",
  "activation key",
  "api key",
  "private key",
  "recovery code",
  "reset code",
  "secret key",
  "security code",
  "session id",
  "session key",
]);

/**
 * Returns whether a column most likely contains a secret, by its name and type: `password_hash`, `apiKey`, `RESETTOKEN`.
 * @param type the name of the type, such as `Edm.String`; null if it is unknown
 */
export function isSecretColumn(name: string, type: string | null): boolean {
  const words = wordsOf(name);
  if ((type !== null && HARMLESS.has(type)) || TIMES.has(words.at(-1) ?? "")) return false;
  const isNumber = type !== null && NUMERIC.test(type);
  return isNumber ? words.some((word) => NUMBERS.has(word)) : isSecretName(name);
}

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");
}

function isSecretName(name: string): boolean {
  // RFC 2617 names the hash of user, realm and password `A1`, and databases `ha1`.
  if (/^ha1b?$/i.test(name)) return true;
  const words = wordsOf(name);
  const isPair = words.some((word, at) => PAIRS.has(`${word} ${(words[at + 1] ?? "").replace(/s$/, "")}`));
  return isPair || words.some((word) => SECRETS.has(word) || SECRETS.has(word.replace(/s$/, "")) || hasSecret(word));
}

/** Names such as `userpassword` have no border between words. PostgreSQL makes `passwordhash` of an unquoted `PasswordHash`. */
function hasSecret(word: string): boolean {
  return (
    /passw(?:or)?d|passphrase|passcode|securitycode/.test(word) ||
    /(?:secret|token|(?:api|access|private|secret)key)s?$/.test(word) ||
    /^(?:pwd|secret|token|api|key|user)(?:hash|salt)(?:es|s)?$/.test(word)
  );
}
