import type { StreamTraits } from "../../edm/stream-property.ts";
import type { DocumentObject } from "./open-api-document.ts";

/** Returns the content of bytes by media type. */
export function contentOf({ accepts }: StreamTraits): DocumentObject {
  return Object.fromEntries((accepts ?? ["*/*"]).map((type) => [type, { schema: {} }]));
}
