import { type EntityType, shownProperties } from "../../edm/model.ts";
import type { StreamTraits } from "../../edm/stream-property.ts";
import type { DocumentObject } from "./open-api-document.ts";

/** Returns the content of bytes by media type. */
export function contentOf({ accepts }: StreamTraits): DocumentObject {
  return Object.fromEntries((accepts ?? ["*/*"]).map((type) => [type, { schema: {} }]));
}

/** Returns the control information of the streams of an entity. @see OData JSON Format 4.0, section 4.5.12 */
export function streamMembers(type: EntityType): DocumentObject {
  const streams = shownProperties(type).filter(({ stream }) => stream !== undefined);
  const names = [...(type.media === undefined ? [] : [""]), ...streams.map(({ name }) => name)];
  const members = ["mediaContentType", "mediaEtag"];
  return Object.fromEntries(
    names.flatMap((name) => members.map((each) => [`${name}@odata.${each}`, { type: "string", readOnly: true }])),
  );
}
