/** Words of columns that most likely contain a secret. */
const SECRETS: ReadonlySet<string> = new Set([
  "apikey",
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
  "pw",
  "pwd",
  "salt",
  "secret",
  "token",
]);

/** Pairs of words that mean a secret together. */
const PAIRS: ReadonlySet<string> = new Set(["api key", "access key", "private key", "secret key", "security code"]);

/** Returns whether the name of a column means a secret, such as `password_hash`, `apiKey` and `RESETTOKEN`. */
export function isSecretName(name: string): boolean {
  const words = name
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");
  const isPair = words.some((word, at) => PAIRS.has(`${word} ${words[at + 1] ?? ""}`));
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
