import { tooManyBytes } from "../../base/errors/odata-error.ts";
import type { EntityText } from "../../payload/entity-text.ts";
import type { PageEnd } from "../../payload/write-collection.ts";
import { WrittenBytes } from "../../payload/written-bytes.ts";
import type { Execution } from "./execution.ts";

/** Makes the count of the bytes of a response while it is written. */
export function writtenBytes({ mostBytes, arrival }: Execution): WrittenBytes {
  return new WrittenBytes(mostBytes, arrival.batch?.counted);
}

/** Returns the text of the only entity of a response. @throws ODataError `InvalidQueryOption` if it is too large */
export function fittingText(execution: Execution, write: () => EntityText): EntityText {
  const text = write();
  const bytes = writtenBytes(execution);
  if (!bytes.certainlyFits(text) && !bytes.take(text, write)) throw tooManyBytes("The entity");
  return text;
}

/** Returns the end of a response with several entities that no link can continue. */
export function wholeEnd(execution: Execution): PageEnd {
  return { bytes: writtenBytes(execution), linkAfter: null };
}
