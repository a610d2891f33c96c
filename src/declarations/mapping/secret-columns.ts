/** Words of columns that most likely contain a secret. */
const SECRETS: ReadonlySet<string> = new Set([
  "apikey",
  "cvc",
  "cvv",
  "hash",
  "passcode",
  "passphrase",
  "passwd",
  "password",
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
  return isPair || words.some((word) => SECRETS.has(word) || SECRETS.has(word.replace(/s$/, "")) || endsInSecret(word));
}

/** Names such as `userpassword` have no border between words. */
function endsInSecret(word: string): boolean {
  return /(?:password|passwd|secret|token|apikey)s?$/.test(word);
}
