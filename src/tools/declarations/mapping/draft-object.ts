import type { DatabaseKind, ObjectColumn, SchemaObject } from "../../../databases/introspect/database-schema.ts";
import type { ColumnMapping } from "../columns/column-mapping.ts";
import type { DescribeOptions, DescribedWarning } from "../described-service.ts";
import {
  findKey,
  hasNull,
  keyTypeOf,
  mayShareText,
  sharedTexts,
  type FoundKey,
  placeOf,
  roughMapping,
} from "./find-key.ts";
import { columnMatcher, type MatchesColumn } from "./select-objects.ts";

/** An object that becomes an entity set, before it has names. */
export interface DraftObject {
  readonly object: SchemaObject;
  /** The published columns. */
  readonly columns: readonly ObjectColumn[];
  readonly key: FoundKey;
}

/** The settings of drafts. */
interface DraftSettings {
  readonly kind: DatabaseKind;
  readonly options: DescribeOptions;
  readonly warn: (warning: DescribedWarning) => void;
}

/** Chooses the columns and the key of an object. @returns undefined, after a warning, for an object that cannot be a set */
export function draftObject(object: SchemaObject, settings: DraftSettings): DraftObject | undefined {
  const { warn } = settings;
  const place = placeOf(object);
  const columns = draftColumns(object, settings);
  const key = findKey(object, columns, settings);
  const hidden = hiddenKey(object, columns, settings);
  const flag = hidden.length === 0 ? `--key "${place}=<column>"` : hidden.map(includeFlag(place)).join(" ");
  if (key === undefined) {
    warn({
      place,
      ...(hidden.length > 0 ? { ...HIDDEN_KEY[kindOf(object)], flag } : missingKey(object, columns, settings)),
    });
    return undefined;
  }
  if (key.kind === "rowid") {
    const only = hidden.length === 0 ? `${otherKey(object, columns)} but the rowid` : "has a hidden key and the rowid";
    warn({ code: "rowid", place, message: `${only}, which VACUUM may renumber, published as Rowid`, flag });
  }
  if (key.kind === "unique in the data") {
    const values = `the values of ${key.columns.join(", ")} are unique`;
    const message = `has no key; ${values} in the data now, which the database does not guarantee`;
    warn({ code: "unique-key", place, message, flag: `--key "${place}=${key.columns.join(",")}"` });
  }
  const isPublished = (column: ObjectColumn): boolean => key.kind === "rowid" || column.name !== object.rowid;
  return { object, columns: columns.filter(isPublished), key };
}

const HIDDEN_KEY = {
  table: { code: "hidden-key", message: "table with a hidden key, omitted" },
  view: { code: "hidden-key", message: "view with a hidden key, omitted" },
} as const;

function kindOf({ kind }: SchemaObject): "table" | "view" {
  return kind === "table" ? "table" : "view";
}

/** Returns the warning for an object without a key, which is omitted. */
function missingKey(
  object: SchemaObject,
  columns: readonly ObjectColumn[],
  settings: DraftSettings,
): Omit<DescribedWarning, "place"> {
  const { uniqueKey } = object;
  const why = uniqueKey === undefined ? "" : (WHY_NONE[String(uniqueKey)] ?? "");
  const given = `--key "${placeOf(object)}=<column>"`;
  const shared = sharedTexts(object);
  if (shared.length === 0) {
    const message = `${kindOf(object)} without a key${why}, omitted`;
    return { code: "no-key", message, flag: uniqueKey === undefined ? "--keys unique" : given };
  }
  const sampled = Math.max(0, ...object.columns.map(({ sample }) => sample?.rows ?? 0));
  const rows = object.estimatedRows === null ? `more than ${String(sampled)} rows` : counted(object.estimatedRows);
  const isPossible = columns.some((column) => keyTypeOf(column, settings) !== undefined && !mayShareText(column));
  const remedy = isPossible ? "" : `: store cells of one type in ${object.primaryKey.join(", ")}`;
  const message = `${kindOf(object)} whose primary key ${shared.join(", and ")}, which may have the same text, so that it is no key${why}, omitted with ${rows}${remedy}`;
  const search = uniqueKey === undefined ? "--keys unique" : given;
  return { code: "no-key", message, flag: isPossible ? search : null };
}

function counted(rows: number): string {
  return `${String(rows)} ${rows === 1 ? "row" : "rows"}`;
}

/** Why the primary key, if there is one, is not the key. */
function otherKey({ primaryKey }: SchemaObject, columns: readonly ObjectColumn[]): string {
  if (primaryKey.length === 0) return "has no key";
  const names = primaryKey.join(", ");
  const isNull = columns.some((column) => primaryKey.includes(column.name) && hasNull(column));
  return isNull
    ? `has rows with null in its primary key ${names}, so no key`
    : `has a primary key ${names} that cannot be a key, so none`;
}

/** Why a search in the data has found no key. */
const WHY_NONE: Readonly<Record<string, string>> = {
  "no rows": " and without rows to search for one",
  none: ", also in the data",
  "too slow": ", and too slow to search for one",
};

/** Returns the columns of an object that can be published, the rowid included. */
export function draftColumns(object: SchemaObject, settings: DraftSettings): readonly ObjectColumn[] {
  return withRowid(object, publishedColumns(object, settings));
}

/** Returns the columns of the primary key that a flag publishes. */
function hiddenKey(
  { columns: all, primaryKey }: SchemaObject,
  columns: readonly ObjectColumn[],
  { kind, options }: Pick<DraftSettings, "kind" | "options">,
): readonly string[] {
  return primaryKey.filter((name) => {
    const column = all.find((each) => each.name === name);
    if (column === undefined || columns.includes(column) || !column.isSelectable) return false;
    return column.isInvisible || isSecret(column, roughMapping(kind, column, options));
  });
}

function isSecret({ name }: ObjectColumn, mapping: ColumnMapping): boolean {
  const type = "column" in mapping ? mapping.column.type : null;
  return isSecretColumn(name, typeof type === "string" ? type : null);
}

function includeFlag(place: string): (column: string) => string {
  return (column) => `--include-column "${place}.${column}"`;
}

/** The rowid of a table is a column if the table has no other key. */
function withRowid(object: SchemaObject, columns: readonly ObjectColumn[]): readonly ObjectColumn[] {
  const { rowid } = object;
  if (rowid === undefined || columns.length === 0) return columns;
  const fact: ObjectColumn = {
    name: rowid,
    isHidden: true,
    type: "INTEGER",
    definition: "INTEGER",
    nullable: false,
    isGenerated: false,
    defaultValue: null,
    defaultCell: null,
    collation: null,
    labels: null,
    comment: null,
    isIdentity: true,
    isInvisible: false,
    isSelectable: true,
    length: null,
    precision: null,
    scale: null,
    characterSet: null,
    enumType: null,
    source: null,
    sample: null,
  };
  return [fact, ...columns];
}

function publishedColumns(object: SchemaObject, settings: DraftSettings): readonly ObjectColumn[] {
  const included = columnMatcher(settings.options.includeColumns ?? []);
  return object.columns.filter((column) => {
    const omission = omissionOf(object, column, settings, included);
    if (omission === undefined) return true;
    settings.warn({ ...omission, place: `${placeOf(object)}.${column.name}` });
    return false;
  });
}

function omissionOf(
  object: SchemaObject,
  column: ObjectColumn,
  { kind, options }: DraftSettings,
  isIncluded: MatchesColumn,
): Omit<DescribedWarning, "place"> | undefined {
  const { name } = column;
  if (name === "") return { code: "no-name", message: "omitted, because its name is empty", flag: null };
  const flag = includeFlag(placeOf(object))(name);
  const mapping = roughMapping(kind, column, options);
  if (!column.isSelectable) {
    const { failure } = column;
    if (failure !== undefined) {
      return { code: "unreadable", message: `omitted, because it is not readable: ${failure}`, flag: null };
    }
    return { code: "privilege", message: "cannot be selected by the user, omitted", flag: null };
  }
  if (!isIncluded(object, name)) {
    if (column.isInvisible) return { code: "invisible", message: "is invisible in the database, omitted", flag };
    const hides = options.secrets !== "show";
    if (hides && isSecret(column, mapping)) {
      return { code: "secret", message: "omitted because of its name", flag };
    }
  }
  if ("column" in mapping) return undefined;
  return { code: mapping.code, message: `omitted, because ${mapping.omitted}`, flag: mapping.flag };
}

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

/** Words of secrets that may be numbers. A number with another name, such as a counter of tokens, is not a secret. */
const NUMBERS: ReadonlySet<string> = new Set(["cvc", "cvv", "otp", "pin", "totp"]);

/** Types whose values are not secrets, whatever their name: `must_change_password`, `token_expires_at`. */
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
  // RFC 2617 names the hash of user, realm and password `A1`, and databases `ha1` and `sip_ha1`.
  if (/(?:^|[^\p{L}\d]|\p{Ll}(?=H))[Hh][Aa]1[Bb]?(?![\p{L}\d])/u.test(name)) return true;
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
