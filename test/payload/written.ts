import type { EntityText } from "../../src/payload/entity-text.ts";

/** Returns a written text as a whole. */
export function written(text: EntityText): string {
  return typeof text === "string" ? text : [...text].join("");
}
