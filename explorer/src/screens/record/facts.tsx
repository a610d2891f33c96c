import type { JSX } from "preact";
import { useContext, useMemo } from "preact/hooks";
import { type Entity, unselectedNames } from "../../format/entity.ts";
import { pictureType } from "../../format/picture-type.ts";
import { showValue, shownAs } from "../../format/show-value.ts";
import { labelProperties, labelText } from "../../model/label-properties.ts";
import type { Navigation, PropertyType } from "../../model/model.ts";
import type { RecordPlace } from "../../parts/record-writes.ts";
import { ZoneMark } from "../../parts/zone.tsx";
import { recordPath, toLiteral } from "../../query/literals.ts";
import { SessionContext } from "../../state/session.ts";
import { useLoaded } from "../../state/use-loaded.ts";
import { encodePath, hrefOf, type View, viewOf } from "../../state/view.ts";
import { useUrlOf } from "./blob-picture.tsx";
import { StreamValue } from "./stream-value.tsx";

/** A record that is shown, with the options of its view. */
export type ShownRecord = RecordPlace & Pick<View, "options"> & { readonly entity: Entity };

/** Something that a record says, or that is said of it. */
interface Fact {
  readonly name: string;
  readonly tag: string | null;
  readonly note: string | null;
  readonly value: JSX.Element;
}

/** Returns the properties of a record, including properties without a declaration, then its navigations in both directions. */
export function factsOf(shown: ShownRecord): readonly Fact[] {
  const { properties, navigations, key } = shown.place.type;
  const { values } = shown.entity;
  const names = Object.keys(values).filter((name) => !name.includes("@") && !navigations.has(name));
  const own = names.map((name) => {
    const property = properties.get(name) ?? null;
    const isKey = property !== null && key.includes(property);
    const type = property?.isCollection === false ? property.type : null;
    const value = <WholeValue name={name} {...shownAs(shown.place.type, name, values[name], type)} />;
    const note = property?.description ?? property?.label ?? null;
    return { name, tag: isKey ? "key" : null, note: note === name ? null : note, value };
  });
  const streams = Object.keys(values).flatMap((each) => {
    const [own = "", term] = each.split("@odata.");
    if (term !== "mediaContentType") return [];
    const name = own || "file";
    const [path, mediaType] = [`${shown.path}/${own || "$value"}`, String(values[each])];
    const value = <StreamValue session={shown.session} {...{ name, path, mediaType }} />;
    return [{ name, tag: "stream", note: null, value }];
  });
  const whole = hrefOf(viewOf("record", shown.path, [["$select", "*"]]));
  const unselected = (shown.options.has("$select") ? [] : unselectedNames(shown.place.type, values)).map((name) => {
    const note = properties.get(name)?.description ?? null;
    return { name, tag: null, note, value: <a href={whole}>Load the whole record</a> };
  });
  const relations = Array.from(navigations.values(), (navigation) => {
    const value = <Related {...shown} navigation={navigation} />;
    return { name: navigation.name, tag: "relation", note: navigation.description, value };
  });
  return [...own, ...streams, ...unselected, ...relations, ...referencesTo(shown)];
}

/** Shows where a navigation of a record leads. */
function Related(props: ShownRecord & { readonly navigation: Navigation }): JSX.Element {
  const { session, path, place, entity, navigation } = props;
  const { name, isCollection, target } = navigation;
  const set = session.model.sets.get(place.set?.bindings.get(name) ?? "");
  // Services may have no path of several steps.
  const to = `${recordPath(place.set, entity.values) ?? path}/${name}`;
  if (isCollection) {
    if (place.set?.abilities.navigable(name) === false) return <span class="dim">the service has no path to them</span>;
    return (
      <>
        <a href={hrefOf(viewOf("grid", to))}>{set?.name ?? target.name}</a>
        {set?.abilities.canCount === false ? null : <Count session={session} path={to} />}
      </>
    );
  }
  const related = entity.values[name];
  if (related === null) return <span class="value value-null">null</span>;
  const own = recordPath(set, related);
  return (
    <a href={hrefOf(viewOf("record", own ?? to))} dir="auto">
      {labelText(labelProperties(target), related) ?? own ?? target.name}
    </a>
  );
}

/** Shows how many records there are, as soon as the service says so; nothing if it does not. */
function Count({ session: { client }, path }: Pick<RecordPlace, "session" | "path">): JSX.Element {
  const { state } = useLoaded(path, async (signal) =>
    Number((await client.get(encodePath(`${path}/$count`), { signal, accept: "text/plain" })).body),
  );
  const isKnown = state.kind === "loaded" && Number.isInteger(state.value);
  return <span class="count">{isKnown ? showValue(state.value, null).text : ""}</span>;
}

/** Returns the navigations of other sets that lead to a record, and have no navigation back. */
function referencesTo({ session, place, entity }: ShownRecord): readonly Fact[] {
  return [...session.model.sets.values()].flatMap(({ name, type, bindings, abilities }) =>
    [...type.navigations.values()].flatMap((navigation) => {
      const { partner, constraints, isCollection } = navigation;
      const isOwn = place.set !== null && bindings.get(navigation.name) === place.set.name;
      if (!isOwn || partner !== null || isCollection || constraints.size === 0) return [];
      const conditions = Array.from(constraints, ([from, to]) => {
        const property = abilities.filterable(from) ? type.properties.get(from) : undefined;
        return property && `${from} eq ${toLiteral(entity.values[to], property.type)}`;
      });
      if (conditions.includes(undefined)) return [];
      const href = hrefOf(viewOf("grid", name, [["$filter", conditions.join(" and ")]]));
      const value = <a href={href}>{`${name} whose ${navigation.name} is this record`}</a>;
      return [{ name, tag: "relation", note: null, value }];
    }),
  );
}

/** Shows a value whole: nothing is cut, and the exact value follows one in the words of the locale. */
function WholeValue(props: {
  /** The name of the file that bytes are saved as. */
  readonly name: string;
  readonly value: unknown;
  readonly type: PropertyType | null;
}): JSX.Element {
  const zone = useContext(SessionContext)?.zone.value ?? "UTC";
  const { kind, text, exact } = showValue(props.value, props.type, undefined, { zone });
  if (kind === "binary") return <BinaryValue name={props.name} base64url={exact} size={text} />;
  const json = kind === "json" ? exact : readJson(text);
  if (json !== null) {
    return (
      <details>
        <summary>
          <code>{kind === "json" ? text : text.slice(0, 60)}</code>
        </summary>
        <pre tabIndex={0}>{json}</pre>
      </details>
    );
  }
  // No other scheme, such as `javascript:`, is safe to follow.
  if (kind === "text" && /^https?:\/\/[^\s/]/iu.test(text) && URL.canParse(text)) {
    return (
      <a href={text} target="_blank" rel="noopener noreferrer">
        {text}
      </a>
    );
  }
  return (
    <>
      <span class={`value-whole value-${kind}`} dir={kind === "text" ? "auto" : undefined}>
        {text}
      </span>
      {text === exact ? null : <ZoneMark type={props.type} />}
      {kind === "date" || (kind === "number" && text !== exact) ? <code class="dim small">{exact}</code> : null}
    </>
  );
}

/** Returns a text that is an object or array of JSON with line breaks; null for others. */
function readJson(text: string): string | null {
  try {
    return /^\s*[[{]/u.test(text) ? JSON.stringify(JSON.parse(text), null, 2) : null;
  } catch {
    return null;
  }
}

/** Shows bytes as a picture where they are one, and offers them as a file. */
function BinaryValue({ name, base64url, size }: Readonly<Record<"name" | "base64url" | "size", string>>): JSX.Element {
  const picture = pictureType(base64url);
  const content = useMemo(() => {
    const bytes = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
    const type = picture === null ? "application/octet-stream" : `image/${picture}`;
    return new Blob([Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))], { type });
  }, [base64url, picture]);
  const url = useUrlOf(content);
  return (
    <span class="binary">
      {picture === null ? null : <img src={url} alt={`Picture of ${name}`} />}
      <a href={url} download={picture === null ? name : `${name}.${picture}`}>{`Download ${name} (${size})`}</a>
    </span>
  );
}
