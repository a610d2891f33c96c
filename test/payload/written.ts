import { LongText } from "../../src/payload/late-texts.ts";

/** Returns a written text as a whole. */
export function written(text: string | LongText): string {
  return text instanceof LongText ? [...text].join("") : text;
}
