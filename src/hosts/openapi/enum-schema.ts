import { fullDescription } from "../../edm/annotation.ts";
import type { EnumType } from "../../edm/model.ts";
import type { DocumentObject } from "./open-api-document.ts";

/** Returns the schema of a value of an enumeration. */
export function enumSchema(type: EnumType): DocumentObject {
  const { members, isFlags, memberDescriptions } = type;
  const description = fullDescription(type);
  // Documentation tools show the texts of members from this extension.
  const texts = memberDescriptions === undefined ? undefined : Object.fromEntries(memberDescriptions);
  const names = [...members.keys()];
  if (!isFlags) return { type: "string", enum: names, description, "x-enumDescriptions": texts };
  const one = `(?:${names.join("|")})`;
  const text = `One or more of ${names.join(", ")}, separated by commas.`;
  return {
    type: "string",
    pattern: `^${one}(?:, ?${one})*$`,
    description: description === undefined ? text : `${description} ${text}`,
    "x-enumDescriptions": texts,
    examples: [names.slice(0, 2).join(",")],
  };
}
