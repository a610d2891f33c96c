import type { JSX } from "preact";
import { labelText, nameProperties } from "../model/label-properties.ts";
import { resolvePath } from "../query/resolve-type.ts";
import type { OpenSession } from "../state/session.ts";
import { useLoaded } from "../state/use-loaded.ts";
import { resourceUrl } from "../state/view.ts";

/** Returns the label of the record at a path, once the service sent it; null for others. */
export function useRecordLabel({ model, client }: OpenSession, path: string): string | null {
  const place = resolvePath(model, path);
  const label =
    place?.isCollection === false && place.set?.abilities.canSelect === true ? nameProperties(place.type) : [];
  const url = resourceUrl({ path, options: new Map([["$select", label.map(({ name }) => name).join(",")]]) });
  const { state } = useLoaded(label.length === 0 ? "" : url, async (signal) =>
    label.length === 0 ? null : labelText(label, (await client.get(url, { signal })).body),
  );
  return state.kind === "loaded" ? state.value : null;
}

type RecordLabelProps = Readonly<{ session: OpenSession; path: string; other: string }>;

/** Shows the label of the record at a path; without one, another text. */
export function RecordLabel({ session, path, other }: RecordLabelProps): JSX.Element {
  return <bdi>{useRecordLabel(session, path) ?? other}</bdi>;
}
