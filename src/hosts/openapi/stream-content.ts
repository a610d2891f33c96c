import { type EntityType, shownProperties } from "../../edm/model.ts";
import type { StreamTraits } from "../../edm/stream-property.ts";
import type { DocumentObject } from "./open-api-document.ts";

/** Returns the content of bytes by media type. */
export function contentOf({ accepts }: StreamTraits): DocumentObject {
  return Object.fromEntries((accepts ?? ["*/*"]).map((type) => [type, { schema: {} }]));
}

/** The control information of an entity. @see OData JSON Format 4.0, section 4.5 */
const CONTROL_INFORMATION = {
  "@odata.context": { type: "string", readOnly: true },
  "@odata.id": { type: "string", readOnly: true },
  "@odata.etag": { type: "string", readOnly: true },
};

/** Returns the control information of an entity and of its streams. @see OData JSON Format 4.0, sections 4.5 and 9 */
export function controlInformation(type: EntityType): DocumentObject {
  const streams = shownProperties(type).filter(({ stream }) => stream !== undefined);
  const names = [...(type.media === undefined ? [] : [""]), ...streams.map(({ name }) => name)];
  const members = ["mediaContentType", "mediaEtag"];
  const ofStreams = names.flatMap((name) =>
    members.map((each) => [`${name}@odata.${each}`, { type: "string", readOnly: true }] as const),
  );
  return { ...CONTROL_INFORMATION, ...Object.fromEntries(ofStreams) };
}
