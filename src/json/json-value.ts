/** A JSON number as written, if a double cannot represent it exactly or it has a fraction or exponent. */
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
 * A parsed JSON value without loss: integers that a double represents exactly are numbers, all other numbers keep their
 * text.
 */
export type JsonValue = null | boolean | number | string | JsonNumber | readonly JsonValue[] | JsonObject;

/** Returns whether a parsed value is an object. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}
