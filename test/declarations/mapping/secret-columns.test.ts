import { expect, test } from "vitest";
import { isSecretName } from "../../../src/declarations/mapping/secret-columns.ts";

test.each([
  ["password", true],
  ["PasswordHash", true],
  ["user_passwords", true],
  ["userpassword", true],
  ["API_KEY", true],
  ["apiKey", true],
  ["apikey", true],
  ["reset-token", true],
  ["salt", true],
  ["cvv", true],
  ["ClientSecret", true],
  ["private_key", true],
  ["passwordhash", true],
  ["userpasswordsalt", true],
  ["pwdhash", true],
  ["tokenhashes", true],
  ["privatekey", true],
  ["awssecretkey", true],
  ["securitycode", true],
  ["key", false],
  ["basalt", false],
  ["hashtag", false],
  ["secretary_id", false],
  ["monkey", false],
  ["rehash", false],
  ["saltwater", false],
  ["tokenised", false],
  ["passenger", false],
])("%s", (name, expected) => {
  expect(isSecretName(name)).toBe(expected);
});
