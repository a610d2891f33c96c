/** A JSON number that a double cannot hold exactly, or that has a fraction or exponent: its text as written. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A JSON object as parsed: a null-prototype object, so that `__proto__` is an ordinary name. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/**
 * A parsed JSON value without loss: integers that a double holds exactly are numbers, all other numbers keep
 * their text.
 */
export type JsonValue = null | boolean | number | string | JsonNumber | readonly JsonValue[] | JsonObject;

/** Tells an object from any other parsed value. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}
