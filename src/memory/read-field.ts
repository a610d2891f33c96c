/** Reads a field of an entity; undefined when it has none. */
export type FieldReader = (entity: object) => unknown;

/** An object by its fields: each can be read, and its value is unknown until it is checked. */
type Fields = Readonly<Record<string, unknown>>;

/** Makes a reader of a field. */
type MakeReader = (field: string) => (entity: Fields) => unknown;

/**
 * The same reader several times. A JavaScript engine optimizes each place in the code for the field that it reads there. A
 * second field makes that place slower. Filters test few fields, so most fields get a separate place.
 */
const READERS: readonly MakeReader[] = [
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
  (field) => (entity) => entity[field],
];
const ANY_READER: MakeReader = (field) => (entity) => entity[field];

/** Of the hash function FNV. */
const FACTOR = 16_777_619;

/** Returns a reader of a field: a fast one where an expression is evaluated for many entities. */
export function readerOf(field: string): FieldReader {
  let hash = 0;
  for (let at = 0; at < field.length; at += 1) hash = Math.imul(hash ^ field.charCodeAt(at), FACTOR);
  const make = READERS[(hash >>> 16) % READERS.length] ?? ANY_READER;
  return make(field) as FieldReader;
}
